#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes manifest.json beside itself: for each capture its hash, its sizes and the rules that its content exercises.
"""Usage: make_manifest.py

Needs the standard library only. A rule is listed where the content of the file can tell a wrong
implementation of it from a right one; the reasons stand in rules_of().
"""
import array
import hashlib
import json
import pathlib
import struct

FIRST, LAST, INVALID = 0x80000000, 0x40000000, 0x00020000
RESERVED = 0x3FFC01FF
HERE = pathlib.Path(__file__).resolve().parent


def load(path):
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        code = {"BF16": "H", "F32": "I", "I32": "I", "U8": "B"}[entry["dtype"]]
        tensors[name] = (entry["dtype"], entry["shape"], array.array(code, data[8 + length + begin:8 + length + end]))
    return hashlib.sha256(data).hexdigest(), len(data), metadata, tensors


def head_class(columns, bank):
    slices = -(-columns // 128)
    even = columns % slices == 0
    width = columns // slices
    if even and width * (2 if bank == "bf16" else 4) % 16 == 0:
        return "regular"
    if columns % 4:
        return "scalar_tail"
    return "even_tail" if bank == "bf16" and even and width % 4 == 0 else "uneven_tail"


def magnitudes(tensor):
    """Bits without the sign, widened to f32."""
    dtype, _, values = tensor
    return ((v & 0x7FFF) << 16 for v in values) if dtype == "BF16" else (v & 0x7FFFFFFF for v in values)


def walk(metadata, tensors):
    """Facts about groups: longest one, whether members before a LAST differ from it, rows written."""
    _, (chunks, positions, _), words = tensors["records"]
    facts = {"members": 0, "invalid": 0, "free": False, "reserved": False, "clamped": False, "rows": []}
    for chunk in range(chunks):
        members, ordinal, slots = 0, 0, []
        for position in range(positions):
            begin = 4 * (chunk * positions + position)
            x, slot, _, decay = words[begin:begin + 4]
            facts["reserved"] |= bool(x & RESERVED)
            facts["clamped"] |= (x >> 9 & 255) >= int(metadata["chunk_size"])
            members += 1
            slots.append((slot, decay))
            if x & LAST:
                facts["members"] = max(facts["members"], members)
                facts["free"] |= any(one != slots[-1] for one in slots)
                if x & INVALID:
                    facts["invalid"] += 1
                else:
                    facts["rows"].append(chunk * positions + ordinal)
                    ordinal += 1
                members, slots = 0, []
    return facts


def rules_of(metadata, tensors):
    facts = walk(metadata, tensors)
    form = metadata["snapshot"]
    bank = tensors["bank_before"][0]
    nan = 0x7FFF if bank == "BF16" else 0x7FFFFFFF
    rules = ["REC-1", "REC-6", "ARI-1", "ARI-2", "ARI-3", "ARI-4", "ARI-7", "NUM-6", "TIL-1", "TIL-5",
             "GEO-1", "GEO-2", "BIG-2", "DET-1"]
    rules += ["REC-2"] * facts["reserved"] + ["REC-3"] * facts["clamped"] + ["REC-5"] * facts["free"]
    rules += ["ARI-6"] * (facts["members"] > 1)
    rules += ["NUM-1"] * (nan in tensors["bank_after"][2])
    if any(0 < v < 0x00800000 for name in ("bank_before", "delta_v") for v in magnitudes(tensors[name])):
        rules.append("NUM-3")
    rules += ["NUM-4"] * (bank == "BF16" or form == "bf16" or form in ("fp8", "int4"))
    rules += ["GEO-3"] * (head_class(tensors["bank_before"][1][1], bank.lower()) != "regular")
    if form != "none":
        rules += ["SNP-1", "SNP-4", "TIL-4"]
    if form == "raw":
        rules.append("SNP-2")
        columns = tensors["snapshot"][1][1]
        infinity = 0x7F80 if bank == "BF16" else 0x7F800000
        sign = 0x7FFF if bank == "BF16" else 0x7FFFFFFF
        rows = tensors["snapshot"][2]
        if any((v & sign) > infinity and v != nan
               for row in facts["rows"] for v in rows[row * columns:(row + 1) * columns]):
            rules.append("NUM-2")
    if form == "bf16":
        rules.append("SNP-3")
    if form in ("fp8", "int4"):
        rules += ["QNT-1", "QNT-2", "QNT-3", "QNT-4", "QNT-7", "NUM-7"]
        rules += ["QNT-5", "NUM-5"] if form == "fp8" else ["QNT-6"]
    return sorted(set(rules), key=lambda rule: (ORDER.index(rule[:3]), int(rule[4:])))


ORDER = ["REC", "ARI", "NUM", "SNP", "QNT", "TIL", "GEO", "BIG", "DET"]


def describe(path):
    digest, size, metadata, tensors = load(path)
    bank = tensors["bank_before"]
    bank_name = bank[0].lower()
    return {
        "file": path.name,
        "sha256": digest,
        "bytes": size,
        "device": metadata["device"],
        "source": metadata["source"],
        "bank": bank_name,
        "snapshot": metadata["snapshot"],
        "slots": bank[1][0],
        "head_dim": bank[1][1],
        "head_class": head_class(bank[1][1], bank_name),
        "num_chunks": tensors["records"][1][0],
        "positions": tensors["records"][1][1],
        **{key: int(metadata[key]) for key in ("num_parallel", "chunk_size", "delta_v_step_rows",
                                               "warps_per_block", "blocks_per_chunk")},
        "rules": rules_of(metadata, tensors),
    }


def main():
    files = sorted(HERE.glob("*.safetensors"))
    manifest = {"specification": "1.0", "files": [describe(path) for path in files]}
    (HERE / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()
