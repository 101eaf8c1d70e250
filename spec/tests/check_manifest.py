#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks spec/vectors/manifest.json: hashes, sizes, that named rules exist and can be exercised by their file.
"""Usage: check_manifest.py SPEC_FOLDER"""
import hashlib
import json
import pathlib
import re
import sys

BYTES_MAX = 15_000_000

# A file may name a rule only where this holds.
PLAUSIBLE = {
    "SNP-1": lambda f: f["snapshot"] != "none",
    "SNP-2": lambda f: f["snapshot"] == "raw",
    "SNP-3": lambda f: f["snapshot"] == "bf16" and f["bank"] == "f32",
    "SNP-4": lambda f: f["snapshot"] != "none",
    "TIL-4": lambda f: f["snapshot"] != "none",
    "QNT-5": lambda f: f["snapshot"] == "fp8",
    "NUM-5": lambda f: f["snapshot"] == "fp8",
    "QNT-6": lambda f: f["snapshot"] == "int4",
    "NUM-2": lambda f: f["snapshot"] == "raw",
    "GEO-3": lambda f: f["head_class"] != "regular",
}
for _i in (1, 2, 3, 4, 7):
    PLAUSIBLE[f"QNT-{_i}"] = lambda f: f["snapshot"] in ("fp8", "int4")

# Together the files have to exercise these.
NEEDED = ["REC-1", "REC-2", "REC-3", "REC-5", "REC-6"] + [f"ARI-{i}" for i in (1, 2, 3, 4, 6, 7)] + [
    f"NUM-{i}" for i in range(1, 8)] + [f"SNP-{i}" for i in range(1, 5)] + [
    f"QNT-{i}" for i in range(1, 8)] + ["TIL-1", "TIL-4", "GEO-2", "GEO-3"]


def check_file(folder, entry, headings):
    name = entry["file"]
    path = folder / name
    if not path.is_file():
        return [f"{name}: is listed and does not exist"]
    data = path.read_bytes()
    errors = []
    digest = hashlib.sha256(data).hexdigest()
    if digest != entry["sha256"]:
        errors.append(f"{name}: sha256 is {digest}; the manifest has {entry['sha256']}")
    if len(data) != entry["bytes"]:
        errors.append(f"{name}: {len(data)} bytes; the manifest has {entry['bytes']}")
    if path.stat().st_mode & 0o111:
        errors.append(f"{name}: is executable")
    for rule in entry["rules"]:
        if rule not in headings:
            errors.append(f"{name}: rule {rule} is not in the specification")
        elif not PLAUSIBLE.get(rule, lambda f: True)(entry):
            errors.append(f"{name}: {rule} cannot be exercised with snapshot {entry['snapshot']}, "
                          f"bank {entry['bank']}, head {entry['head_class']}")
    if len(entry["rules"]) != len(set(entry["rules"])) or not entry["rules"]:
        errors.append(f"{name}: rules are missing or named twice")
    return errors


def main():
    spec = pathlib.Path(sys.argv[1])
    folder = spec / "vectors"
    text = (spec / "specification.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^### ([A-Z]+-\d+) ", text, re.M))
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    files = manifest["files"]
    errors = [error for entry in files for error in check_file(folder, entry, headings)]
    listed = [entry["file"] for entry in files]
    present = {path.name for path in folder.glob("*.safetensors")}
    errors += [f"{name}: is there and not listed" for name in sorted(present - set(listed))]
    if len(listed) != len(set(listed)):
        errors.append("a file is listed twice")
    version = re.search(r"^Version: (\S+)$", text, re.M)
    if not version or manifest["specification"] != version.group(1):
        errors.append(f"the manifest is for specification {manifest['specification']}")
    total = sum(entry["bytes"] for entry in files)
    if total > BYTES_MAX:
        errors.append(f"the files have {total} bytes; at most {BYTES_MAX} are allowed")
    exercised = {rule for entry in files for rule in entry["rules"]}
    errors += [f"no file exercises {rule}" for rule in NEEDED if rule not in exercised]
    for error in errors:
        print(error)
    print(f"{len(files)} files, {total} bytes, {len(exercised)} rules exercised, {len(errors)} errors")
    return 1 if errors or not files else 0


if __name__ == "__main__":
    sys.exit(main())
