#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls an implementation's table (chainwalk/implementation.h) from Python, through ctypes alone.

Usage: python_implementation.py ./example.so

One record on a bf16 bank of one row of four columns: out = 3 * 0.5 + (2 * 0.25 + 0) = 2 in every
column (ARI-1, ARI-2). Then a request that must be refused, with its code (PLN-1).
"""

import ctypes as c
import struct
import sys

OK, REFUSED = 0, 1
BF16, F32, I32 = 0, 1, 2
PLN1_CHUNK_SIZE = 105


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("type", c.c_int32), ("rank", c.c_int32),
                ("shape", c.c_int64 * 3), ("stride", c.c_int64 * 3)]


class Geometry(c.Structure):
    _fields_ = [("slices_per_warp", c.c_int32), ("offset_bits", c.c_int32), ("portable", c.c_int32),
                ("quantizing_form", c.c_int32), ("shared_cap", c.c_int64)]


class Request(c.Structure):
    _fields_ = ([("size", c.c_uint32), ("snapshot_form", c.c_int32)]
                + [(name, Tensor) for name in ("bank", "delta_v", "records", "tile_bounds",
                                               "group_prefix", "snapshot", "payload", "scale")]
                + [(name, c.c_int64) for name in ("num_parallel", "chunk_size", "delta_v_step_rows",
                                                  "snapshot_step", "warps_per_block",
                                                  "blocks_per_chunk")]
                + [("geometry", Geometry), ("stream", c.c_void_p), ("device", c.c_int32)])


class Result(c.Structure):
    _fields_ = [("status", c.c_int32), ("refusal", c.c_int32), ("text", c.c_char_p)]


Handle, Handles = c.c_void_p, c.POINTER(c.c_void_p)


class Table(c.Structure):
    _fields_ = [("size", c.c_uint32), ("interface_version", c.c_uint32), ("name", c.c_char_p),
                ("version", c.c_char_p), ("description", c.c_char_p), ("memory", c.c_int32),
                ("open", c.CFUNCTYPE(Result, c.POINTER(c.c_char_p), c.c_int32, Handles)),
                ("supports", c.CFUNCTYPE(Result, Handle, c.POINTER(Request))),
                ("plan", c.CFUNCTYPE(Result, Handle, c.POINTER(Request), Handles)),
                ("greatest_step", c.CFUNCTYPE(c.c_int64, Handle, Handle)),
                ("step", c.CFUNCTYPE(Result, Handle, Handle, c.c_int64)),
                ("synchronize", c.CFUNCTYPE(Result, Handle)),
                ("release", c.CFUNCTYPE(None, Handle, Handle)),
                ("close", c.CFUNCTYPE(None, Handle))]


def load(path):
    library = c.CDLL(path)
    library.chainwalk_implementation.restype = c.POINTER(Table)
    table = library.chainwalk_implementation(c.c_uint32(1))
    if not table:
        sys.exit(f"{path} does not serve version 1 of the interface")
    return library, table.contents


class Buffer:
    """Bytes at a 16-byte boundary, as the interface asks for."""

    def __init__(self, data):
        self.raw = c.create_string_buffer(len(data) + 16)
        self.address = (c.addressof(self.raw) + 15) // 16 * 16
        self.size = len(data)
        c.memmove(self.address, bytes(data), len(data))

    def bytes(self):
        return c.string_at(self.address, self.size)

    def tensor(self, kind, *shape):
        strides = [1] * 3
        for axis in range(len(shape) - 2, -1, -1):
            strides[axis] = strides[axis + 1] * shape[axis + 1]
        return Tensor(self.address, kind, len(shape), (c.c_int64 * 3)(*shape),
                      (c.c_int64 * 3)(*strides[:len(shape)]))


def must(result, what):
    if result.status != OK:
        sys.exit(f"{what}: status {result.status}, refusal {result.refusal}: {result.text.decode()}")


def small_request():
    bank = Buffer(struct.pack("<4H", *[0x4040] * 4))  # 3 in bf16
    token_row = Buffer(struct.pack("<4f", *[0.25] * 4))
    record = Buffer(struct.pack("<2I2f", 0xC0000000, 0, 2.0, 0.5))  # FIRST and LAST, slot 0
    bounds = Buffer(struct.pack("<9i", 0, *[1] * 8))
    prefix = Buffer(struct.pack("<9i", 0, *[1] * 8))
    request = Request(size=c.sizeof(Request), num_parallel=1, chunk_size=1, snapshot_step=1,
                      warps_per_block=8, blocks_per_chunk=1, geometry=Geometry(portable=-1),
                      bank=bank.tensor(BF16, 1, 4), delta_v=token_row.tensor(F32, 1, 4),
                      records=record.tensor(I32, 1, 1, 4), tile_bounds=bounds.tensor(I32, 1, 9),
                      group_prefix=prefix.tensor(I32, 1, 9))
    return request, [bank, token_row, record, bounds, prefix]


def main(path):
    library, table = load(path)
    session, plan = Handle(), Handle()
    must(table.open(None, 0, c.byref(session)), "open")
    request, buffers = small_request()
    must(table.plan(session, c.byref(request), c.byref(plan)), "plan")
    assert table.greatest_step(session, plan) == 0, "one chunk of one stream is one step (PLN-8)"
    must(table.step(session, plan, 0), "step")
    must(table.synchronize(session), "synchronize")
    bank = struct.unpack("<4H", buffers[0].bytes())
    assert bank == (0x4000,) * 4, f"expected 2 in every column, got {[hex(x) for x in bank]}"
    table.release(session, plan)
    request.chunk_size = 257
    refused = table.supports(session, c.byref(request))
    assert (refused.status, refused.refusal) == (REFUSED, PLN1_CHUNK_SIZE), refused.refusal
    table.close(session)
    print(f"{table.name.decode()}: 2 in every column; a chunk of 257 tokens is refused: "
          f"{refused.text.decode()}")
    del library


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
