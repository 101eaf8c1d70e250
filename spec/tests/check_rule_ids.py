#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Lint: the specification has every rule id once, and every id named in the repository exists (VER-2).
"""Usage: check_rule_ids.py REPOSITORY

Ids are looked for as `ARI-4` in any text file and as `RuleARI4` in names of tests. Tests that need an
id without a rule take a number from 90 up, which no rule ever has (VER-2), or say `no such rule` in
the line.
"""
import collections
import os
import pathlib
import re
import sys

# How many rules each chapter has. A new rule is added here and in the specification together.
CHAPTERS = {"REC": 6, "ARI": 7, "NUM": 7, "SNP": 4, "QNT": 10, "SRC": 3, "TIL": 5, "GEO": 8, "BIG": 2,
            "PLN": 10, "LCH": 6, "LOP": 6, "DET": 1, "CAP": 10, "VER": 4}
SUFFIXES = {".h", ".hpp", ".cpp", ".cu", ".cuh", ".def", ".py", ".pyi", ".md", ".cmake", ".txt", ".json",
            ".in", ".csv", ".sh", ".toml", ".S"}
SKIPPED_FOLDERS = {".git", "build", ".venv", "carry", "shared", "__pycache__"}
NEVER_A_RULE = 90
NAMES = "|".join(CHAPTERS)
ID = re.compile(rf"\b({NAMES})-(\d+)\b|Rule({NAMES})(\d+)(?![0-9])")


def headings(specification):
    found = collections.Counter()
    for line in specification.read_text(encoding="utf-8").splitlines():
        match = re.match(r"### ([A-Z]+-\d+) (\S.*)$", line)
        if match:
            found[match.group(1)] += 1
    return found


def text_files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        for name in files:
            path = pathlib.Path(folder) / name
            if path.suffix in SUFFIXES:
                yield path


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = headings(root / "spec/specification.md")
    known = {f"{chapter}-{i}" for chapter, count in CHAPTERS.items() for i in range(1, count + 1)}
    errors = [f"specification.md has no heading for {rule}" for rule in sorted(known - set(found))]
    errors += [f"specification.md has a heading for {rule}, which is not listed here" for rule in sorted(set(found) - known)]
    errors += [f"specification.md has {count} headings for {rule}" for rule, count in found.items() if count > 1]
    mentions = files = 0
    for path in text_files(root):
        files += 1
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if "no such rule" in line:
                continue
            for match in ID.finditer(line):
                number_text = match.group(2) or match.group(4)
                rule = f"{match.group(1) or match.group(3)}-{number_text}"
                mentions += 1
                if rule not in known and int(number_text) < NEVER_A_RULE:
                    errors.append(f"{path.relative_to(root)}:{number}: {rule} does not exist")
    if mentions == 0:
        errors.append(f"no rule id was found under {root}")
    for error in errors:
        print(error)
    print(f"{len(found)} rules, {mentions} mentions in {files} files, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
