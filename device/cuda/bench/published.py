#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the published package sparse-delta-memory and chainwalk on the same problems, in one run on
one device, and prints theirs / ours for each row of `chainwalk bench cuda`.

The package is a black box here: it has to be installed, with PyTorch, and builds its extension at
first use. Before a row is timed, the bits that the package leaves for a small problem of the same
kind are compared with the reference by `chainwalk verify`.

Usage: published.py --chainwalk build/cuda-90/bin/chainwalk [--case TEXT] [--json FILE]
Exit status: 0; 1 where a row could not be measured or left other bits; 2 where something is missing.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

STEPS = 8
REPLAYS = 20
FIRST, LAST = 0x80000000, 0x40000000
TOKEN_SHIFT = 9
QUANTIZED = {"fp8": 1, "int4": 2}

# The launch geometries that the package chooses on an H200: warps a block, blocks a chunk, column
# slices a warp.
GEOMETRY = {
    ("flagship P2 hd1024", "bf16"): {"": (8, 32, 2), "fp8": (8, 31, 2), "int4": (8, 31, 2)},
    ("flagship P8 hd1024", "bf16"): {"": (8, 8, 2), "fp8": (8, 7, 2), "int4": (8, 7, 2)},
    ("flagship P32 hd1024", "bf16"): {"": (8, 8, 2)},
    ("f32 P2 hd1024", "f32"): {"": (8, 16, 1)},
    ("f32 P8 hd1024", "f32"): {"": (8, 4, 1)},
    ("hd128 P16", "bf16"): {"": (8, 16, 1)},
    ("hd64 P32", "bf16"): {"": (8, 8, 1)},
    ("hd480 P4", "bf16"): {"": (8, 32, 2)},
    ("hd384 P4 (3 slices)", "bf16"): {"": (8, 16, 1)},
    ("tail hd300 P4", "bf16"): {"": (8, 16, 1)},
    ("tail hd130 P4", "bf16"): {"": (8, 16, 1)},
    ("C256 W32 hd1024 P2", "bf16"): {"": (16, 8, 1)},
    ("collisions hd1024 P2", "bf16"): {"": (8, 33, 2)},
    ("hot keys hd1024 P8", "bf16"): {"": (8, 8, 2)},
    ("hd2048 P2", "bf16"): {"": (8, 16, 2), "fp8": (8, 15, 2), "int4": (8, 15, 2)},
}


def geometry_of(row):
    forms = GEOMETRY[row["case"], row["bank"]]
    return forms.get(row["snapshot"], forms[""])


def sizes_of(row):
    """(tokens of a chunk, writes of a token, slots of a stream, hot slots)."""
    name = row["case"]
    if name.startswith("C256"):
        return 256, 32, 65536, 0
    if name.startswith("collisions"):
        return 64, 256, 512, 0
    return 64, 64, 65536, 64 if name.startswith("hot") else 0


def chunk_records(random, tokens, writes, slots, hot, first_slot):
    """Records [n, 4] of one chunk, sorted by slot and token (REC-1)."""
    drawn = []
    for token in range(tokens):
        some = random.choice(hot, writes // 2, replace=False) if hot else np.empty(0, np.int64)
        rest = random.permutation(np.setdiff1d(random.integers(0, slots, 2 * writes), some))
        while len(rest) < writes - len(some):
            rest = np.setdiff1d(np.append(rest, random.integers(0, slots, writes)), some)
        for slot in np.append(some, rest[: writes - len(some)]):
            drawn.append((int(slot), token))
    drawn = np.array(sorted(drawn), np.int64)
    n = len(drawn)
    new = np.append(True, drawn[1:, 0] != drawn[:-1, 0])
    last = np.append(new[1:], True)
    records = np.empty((n, 4), np.uint32)
    records[:, 0] = new * FIRST + last * LAST + (drawn[:, 1] << TOKEN_SHIFT)
    records[:, 1] = drawn[:, 0] + first_slot
    records[:, 2] = random.uniform(-1, 1, n).astype(np.float32).view(np.uint32)
    records[:, 3] = np.full(n, 0.99, np.float32).view(np.uint32)
    return records


def tiles_of(records, tiles):
    """Bounds at the FIRST nearest to an even cut (TIL-2), and valid groups before each (TIL-4)."""
    n = len(records)
    firsts = np.append(np.flatnonzero(records[:, 0] & FIRST), n)
    targets = np.arange(tiles + 1) * n // tiles
    after = np.searchsorted(firsts, targets)
    before = np.maximum(after - 1, 0)
    earlier = np.abs(targets - firsts[before]) <= np.abs(firsts[after] - targets)
    chosen = np.where(earlier, before, after)
    return firsts[chosen].astype(np.int32), chosen.astype(np.int32)


class Problem:
    """A row's problem on the device, `steps` steps long."""

    def __init__(self, torch, row, steps, slots=None):
        self.row, self.torch = row, torch
        tokens, writes, full_slots, hot = sizes_of(row)
        self.slots = min(slots or full_slots, full_slots)
        self.warps, self.blocks, self.slices = geometry_of(row)
        self.streams, self.tokens, self.head_dim = row["num_parallel"], tokens, row["head_dim"]
        chunks = steps * self.streams
        random = np.random.default_rng(7)
        records = [
            chunk_records(random, tokens, writes, self.slots, hot, c % self.streams * self.slots)
            for c in range(chunks)
        ]
        tiles = [tiles_of(r, self.warps * self.blocks) for r in records]
        self.records = self.upload(np.stack(records).view(np.int32))
        self.bounds = self.upload(np.stack([t[0] for t in tiles]))
        self.prefix = self.upload(np.stack([t[1] for t in tiles]))
        self.positions = records[0].shape[0]
        self.bank_type = torch.bfloat16 if row["bank"] == "bf16" else torch.float32
        generator = torch.Generator("cuda").manual_seed(3)
        random_f32 = lambda *shape: torch.randn(*shape, device="cuda", generator=generator)
        self.bank = random_f32(self.streams * self.slots, self.head_dim).to(self.bank_type)
        self.delta_v = random_f32(chunks * tokens, self.head_dim)

    def upload(self, array):
        return self.torch.from_numpy(np.ascontiguousarray(array)).cuda()

    def launcher(self, make):
        """The package's function of a step index, and the outputs that it writes."""
        torch, form = self.torch, self.row["snapshot"]
        rows = len(self.records) * self.positions
        dense = form in ("raw", "bf16")
        self.outputs = {}
        options = {"sb_step": 0 if form == "none" else self.streams, "snapw": dense}
        kind = torch.bfloat16 if form == "bf16" else self.bank_type
        snapshot_rows = self.streams * self.positions if form == "none" else rows
        snapshot = torch.zeros(snapshot_rows, self.head_dim, dtype=kind, device="cuda")
        if dense:
            self.outputs["snapshot"] = snapshot
        if form in QUANTIZED:
            bytes_a_row = self.head_dim // (1 if form == "fp8" else 2)
            payload = torch.zeros(rows, bytes_a_row, dtype=torch.uint8, device="cuda")
            scale = torch.zeros(rows, dtype=torch.float32, device="cuda")
            self.outputs.update(payload=payload, scale=scale)
            options.update(quant=QUANTIZED[form], payload=payload, scale=scale)
        return make(
            self.bank, self.delta_v, self.records, self.bounds, self.prefix, snapshot,
            chunk_size=self.tokens, num_parallel=self.streams, dv_rows=self.streams * self.tokens,
            nw=self.warps, K=self.blocks, bankb=True, w2=self.slices == 2, **options,
        )  # fmt: skip

    def write(self, path, before):
        """A recorded problem (CAP) with the outputs that are there now."""
        tensors = {"bank_before": before, "bank_after": self.bank, "delta_v": self.delta_v}
        tensors.update(records=self.records, tile_bounds=self.bounds, group_prefix=self.prefix)
        tensors.update(self.outputs)
        metadata = {
            "format": "chainwalk-capture", "version": "1", "snapshot": self.row["snapshot"],
            "num_parallel": self.streams, "chunk_size": self.tokens,
            "delta_v_step_rows": self.streams * self.tokens, "warps_per_block": self.warps,
            "blocks_per_chunk": self.blocks, "device": self.torch.cuda.get_device_name(),
            "source": "published.py",
        }  # fmt: skip
        names = {"bfloat16": "BF16", "float32": "F32", "int32": "I32", "uint8": "U8"}
        header = {"__metadata__": {key: str(value) for key, value in metadata.items()}}
        blobs, at = [], 0
        for name, tensor in tensors.items():
            blob = tensor.contiguous().view(self.torch.uint8).cpu().numpy().tobytes()
            header[name] = {
                "dtype": names[str(tensor.dtype).split(".")[1]],
                "shape": list(tensor.shape),
                "data_offsets": [at, at + len(blob)],
            }
            blobs.append(blob)
            at += len(blob)
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(blobs))


def same_bits(torch, row, make, chainwalk):
    """None, or what `chainwalk verify` says against the package's bits on a small problem."""
    problem = Problem(torch, row, steps=1, slots=1024)
    before = problem.bank.clone()
    problem.launcher(make)(0)
    torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "published.safetensors"
        problem.write(path, before)
        done = subprocess.run([chainwalk, "verify", path], capture_output=True, text=True)
    return None if done.returncode == 0 else (done.stdout + done.stderr).strip()[:300]


def microseconds(torch, row, make):
    """Of a step: the median of replays of a graph of STEPS steps."""
    problem = Problem(torch, row, STEPS)
    launch = problem.launcher(make)
    launch(0)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for step in range(STEPS):
            launch(step)
    times = []
    for _ in range(REPLAYS + 1):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1000 / STEPS)
    return statistics.median(times[1:])


def measure(row, torch, make, chainwalk):
    kept = ("case", "bank", "snapshot", "kernel", "dependent_us_per_step", "gb_per_s",
            "share_of_floor", "share_of_copy")  # fmt: skip
    result = {key: row[key] for key in kept}
    result["ours_us"] = row["us_per_step"]
    try:
        result["error"] = row["error"] or same_bits(torch, row, make, chainwalk) or ""
        if not result["error"]:
            result["theirs_us"] = microseconds(torch, row, make)
            result["ratio"] = result["theirs_us"] / result["ours_us"]
    except (RuntimeError, ValueError, AssertionError, TypeError) as error:
        result["error"] = f"{type(error).__name__}: {error}"[:300]
    torch.cuda.empty_cache()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--chainwalk", required=True, help="the program, built with CUDA")
    parser.add_argument("--case", default="", help="only problems with this in their name")
    parser.add_argument("--json", help="file for the results")
    options = parser.parse_args()
    try:
        import torch
        from sparse_delta_memory.cuda.mover_fx_cuda import make_dw_fx
    except ImportError as missing:
        print(f"published.py: error: {missing}; PyTorch and the package are needed", file=sys.stderr)
        return 2
    command = [options.chainwalk, "bench", "cuda", "--json", "--case", options.case]
    bench = subprocess.run(command, capture_output=True, text=True)
    if bench.returncode not in (0, 1):
        print(bench.stderr, end="", file=sys.stderr)
        return 2
    results = []
    for row in json.loads(bench.stdout)["rows"]:
        result = measure(row, torch, make_dw_fx, options.chainwalk)
        results.append(result)
        label = f"{result['case']:<22} {result['bank']:<4} {result['snapshot']:<4}"
        if result["error"]:
            print(f"{label} {result['error']}", flush=True)
        else:
            print(f"{label} theirs {result['theirs_us']:8.2f} us  ours {result['ours_us']:8.2f} us  "
                  f"ratio {result['ratio']:.2f}  {result['kernel']}", flush=True)  # fmt: skip
    ratios = [r["ratio"] for r in results if not r["error"]]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{len(ratios)} of {len(results)} rows, geometric mean {mean:.3f}, least {min(ratios):.2f}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    return 0 if len(ratios) == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
