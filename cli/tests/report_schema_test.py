# SPDX-License-Identifier: Apache-2.0
# Reports of real runs, one verdict of each kind among them, against docs/report.schema.json; and
# reports spoiled in one place each, which the schema must refuse.
#
# usage: report_schema_test.py CHAINWALK SCHEMA MISBEHAVING
# Exit status 77 without the package jsonschema (1 where CHAINWALK_STRICT is set).

import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("the Python package jsonschema is missing: scripts/setup --check")
    sys.exit(1 if os.environ.get("CHAINWALK_STRICT") else 77)

CHAINWALK, SCHEMA, MISBEHAVING = (Path(argument).resolve() for argument in sys.argv[1:4])
WAIVER = {"case": "BIG/*", "reason": "no room", "link": "https://example.org/1", "expires": "2999-01-01",
          "crash_class": True}


def report_of(*arguments):
    """The report of a run, which may conform or not."""
    with tempfile.TemporaryDirectory() as folder:
        command = [CHAINWALK, "conform", "--json", "--report", f"{folder}/r", *arguments]
        result = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        if result.returncode not in (0, 1):
            raise AssertionError(f"{command} gave {result.returncode}: {result.stderr}")
        if result.stdout != Path(f"{folder}/r/report.json").read_text():
            raise AssertionError("standard output is not report.json")
        return json.loads(result.stdout)


def merged_report():
    with tempfile.TemporaryDirectory() as folder:
        for shard in range(2):
            subprocess.run([CHAINWALK, "conform", "--on", "reference", "--shard", f"{shard}/2", "--report",
                            f"{folder}/{shard}"], check=True, capture_output=True)
        merge = [CHAINWALK, "merge", f"{folder}/0", f"{folder}/1", "--report", f"{folder}/m", "--json"]
        return json.loads(subprocess.run(merge, check=True, capture_output=True, text=True).stdout)


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads(SCHEMA.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def check(self, report, *verdicts):
        self.assertEqual([error.message for error in self.validator.iter_errors(report)], [])
        self.assertLessEqual(set(verdicts), {case["verdict"] for case in report["cases"]})

    def test_a_report_that_conforms(self):
        report = report_of("--on", "reference", "--claim", "bf16,none")
        self.check(report, "pass")
        self.assertTrue(report["conforms"])

    def test_failures_with_a_diagnosis(self):
        report = report_of("--on", "wrong:rule=no-restart", "--shard", "0/9")
        self.check(report, "fail")
        self.assertTrue(any("diagnosis" in case and "difference" in case for case in report["cases"]))

    def test_waived_cases(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"waivers": [WAIVER]}, file)
            file.flush()
            report = report_of("--on", "reference", "--waivers", file.name)
        self.check(report, "pass", "not_run")
        self.assertGreater(report["waived"], 0)
        self.assertEqual(report["waivers"], [WAIVER])

    def test_crash_hang_unsupported(self):
        # A crash or a hang costs a worker or a second each; heads that are too large cost nothing.
        for fault, verdict, shard in (("crash", "crash", "0/570"), ("hang", "hang", "0/570"),
                                      ("small-only", "unsupported", "0/9")):
            with self.subTest(fault):
                self.check(report_of("--on", f"{MISBEHAVING}:fault={fault}", "--shard", shard, "--case-seconds", "1"),
                           verdict)

    def test_a_merged_report(self):
        report = merged_report()
        self.check(report, "pass")
        self.assertEqual(report["run"]["shard_count"], 1)

    def test_spoiled_reports_are_refused(self):
        whole = report_of("--on", "wrong:rule=no-restart", "--shard", "0/9")
        at = next(index for index, case in enumerate(whole["cases"]) if "difference" in case)
        edits = [
            lambda r: r.pop("claim"),
            lambda r: r.update(more=1),
            lambda r: r.update(version=2),
            lambda r: r["run"].pop("seed"),
            lambda r: r["run"].update(profile="brisk"),
            lambda r: r["run"].update(seed=-1),
            lambda r: r["counts"].pop("hang"),
            lambda r: r["counts"].update(fail="3"),
            lambda r: r["rules"][0].update(rule="ARI"),
            lambda r: r["rules"][0].update(seen="nearly"),
            lambda r: r["waivers"].append({**WAIVER, "rule": "ARI-1"}),
            lambda r: r["waivers"].append({key: WAIVER[key] for key in WAIVER if key != "reason"}),
            lambda r: r["cases"][at].update(verdict="failed"),
            lambda r: r["cases"][at].update(rules=[]),
            lambda r: r["cases"][at]["difference"].update(row="3"),
            lambda r: r["cases"][at]["coordinates"].update(bank="f16"),
            lambda r: r["environment"].update(threads=2),
        ]
        for number, edit in enumerate(edits):
            spoiled = copy.deepcopy(whole)
            edit(spoiled)
            self.assertFalse(self.validator.is_valid(spoiled), f"edit {number} is not seen")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
