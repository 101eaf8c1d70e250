# SPDX-License-Identifier: Apache-2.0
# The set-up scripts: what they say without root or without apt-get, and how results are counted.

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def shell(command, **environment):
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT,
                            env={**os.environ, **environment}, stdin=subprocess.DEVNULL)
    return result.returncode, result.stdout + result.stderr


class Setup(unittest.TestCase):
    def with_commands(self, commands):
        """Runs a copy of scripts/setup where `commands` (name to shell text) come first in PATH."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "bin").mkdir()
            for name, text in commands.items():
                path = Path(folder) / "bin" / name
                path.write_text(f"#!/bin/sh\n{text}\n")
                path.chmod(0o755)
            return shell(f"cp -r scripts {folder}/ && {folder}/scripts/setup",
                         PATH=f"{folder}/bin:{os.environ['PATH']}", CHAINWALK_SKIP_INSTALL="")

    def test_without_root_prints_the_line(self):
        status, text = self.with_commands({"id": "echo 1000", "sudo": "exit 1", "dpkg-query": "exit 1", "apt-get": "exit 9"})
        self.assertEqual(status, 1, text)
        self.assertRegex(text, r"only root")
        self.assertRegex(text, r"apt-get update && apt-get install --no-install-recommends .*libeigen3-dev")

    def test_sudo_is_used(self):
        status, text = self.with_commands({"id": "echo 1000", "dpkg-query": "exit 1", "apt-get": "exit 9",
                                           "sudo": 'case "$*" in *DEBIAN_FRONTEND=noninteractive*install*) exit 0;; *-n*true*) exit 0;; esac; exit 0'})
        self.assertEqual(status, 0, text)

    def test_failed_install_is_an_error(self):
        status, text = self.with_commands({"id": "echo 0", "dpkg-query": "exit 1", "apt-get": "echo broken pipe dream; exit 100"})
        self.assertEqual(status, 1, text)
        self.assertIn("broken pipe dream", text)
        self.assertIn("could not install", text)

    def test_print(self):
        for system in ("debian", "ubuntu"):
            status, text = shell(f"scripts/setup --print {system}")
            self.assertEqual(status, 0, text)
            self.assertIn("libtbb-dev", text)
        self.assertEqual(shell("scripts/setup --print plan9")[0], 2)
        self.assertEqual(shell("scripts/setup --everything")[0], 2)


class Counting(unittest.TestCase):
    def count(self, xml, then="finish"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "result.xml"
            path.write_text(xml)
            return shell(f". scripts/stages.sh; stage counted count {path}; {then}")

    def test_totals(self):
        # ctest spreads the attributes over lines; pytest wraps the suite in another element.
        xml = '<testsuite name="x"\n\ttests="7"\n\tfailures="0"\n\tdisabled="1"\n\tskipped="2"\n>\n<testcase name="a" tests="9"/>'
        status, text = self.count(xml)
        self.assertEqual((status, text.splitlines()[-1]), (0, "4 passed, 0 failed, 3 skipped"))
        xml = '<?xml version="1.0"?><testsuites><testsuite name="p" errors="1" failures="1" skipped="0" tests="5"><testcase/></testsuite></testsuites>'
        status, text = self.count(xml)
        self.assertEqual((status, text.splitlines()[-1]), (1, "3 passed, 2 failed, 0 skipped"))

    def test_every_suite_counts(self):
        xml = ('<testsuites name="x"><testsuite name="a" tests="3" failures="0" skipped="1"><testcase/></testsuite>'
               '<testsuite name="b" tests="4" failures="1" errors="1" skipped="0"></testsuite></testsuites>')
        status, text = self.count(xml)
        self.assertEqual((status, text.splitlines()[-1]), (1, "4 passed, 2 failed, 1 skipped"))

    def test_nothing_ran_is_a_failure(self):
        status, text = self.count('<testsuite tests="0" failures="0" skipped="0"></testsuite>')
        self.assertEqual(status, 1, text)
        self.assertEqual(self.count("")[0], 1)
        self.assertEqual(shell(". scripts/stages.sh; finish")[0], 1)

    def test_all_skipped_is_a_failure(self):
        self.assertEqual(self.count('<testsuite tests="2" failures="0" skipped="2"></testsuite>')[0], 1)

    def test_a_broken_stage_is_a_failure(self):
        xml = '<testsuite tests="2" failures="0" skipped="0"></testsuite>'
        status, text = self.count(xml, "stage broken false; finish")
        self.assertEqual((status, text.splitlines()[-1]), (1, "2 passed, 1 failed, 0 skipped"))


class ContinuousIntegration(unittest.TestCase):
    def run_ci(self, ctest="", cmake="", fuzzer=""):
        """Runs a copy of .ci/run where cmake and ctest are stand-ins; each ctest reports 3 tests passed, 1 skipped."""
        xml = '<testsuite tests="4" failures="0" disabled="0" skipped="1"></testsuite>'
        stand_ins = {
            "cmake": f"{cmake}\nexit 0",
            "ctest": f'{ctest}\nwhile [ "$1" != --output-junit ]; do shift; done\n'
                     f"echo '{xml}' >\"$2\"\necho '100% tests passed, 0 tests failed out of 4'",
            "chainwalk": f'while [ "$1" != --report ]; do shift; done\nmkdir -p "$2"\necho \'{xml}\' >"$2/report.xml"\n'
                         'echo "conforms on $2"',
            "format_seeds": 'mkdir -p "$1/waivers"',
            "fuzz_waivers": f"{fuzzer}\necho stat::number_of_executed_units: 7\necho stat::new_units_added: 2",
        }
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "bin").mkdir()
            for name, text in stand_ins.items():
                path = Path(folder) / "bin" / name
                path.write_text(f"#!/bin/sh\n{text}\n")
                path.chmod(0o755)
            return shell(f"cp -r scripts .ci {folder}/ && cd {folder} && mkdir -p build/venv build/{{release,fuzz}}/bin && "
                         f"cp {folder}/bin/chainwalk build/release/bin && cp {folder}/bin/f*_* build/fuzz/bin && "
                         "cp scripts/python-packages.txt build/venv/made-from.txt && bash .ci/run",
                         PATH=f"{folder}/bin:{os.environ['PATH']}", CHAINWALK_SKIP_INSTALL="1", CI="true")

    def test_counts_every_stage(self):
        status, text = self.run_ci()
        self.assertEqual(status, 0, text)
        runs = text.count("100% tests passed") + text.count("conforms on")
        self.assertGreaterEqual(runs, 5, text)
        self.assertEqual(text.splitlines()[-1], f"{3 * runs} passed, 0 failed, {runs} skipped")

    def test_a_failed_build_fails(self):
        status, text = self.run_ci(cmake='case "$*" in *--build*clang*) exit 1;; esac')
        self.assertEqual(status, 1, text)
        self.assertRegex(text.splitlines()[-1], r"^\d+ passed, [1-9]\d* failed, \d+ skipped$")

    def test_a_failed_readme_line_fails(self):
        status, text = self.run_ci(ctest='case "$*" in *release*) exit 8;; esac')
        self.assertEqual(status, 1, text)
        self.assertRegex(text.splitlines()[-1], r"^\d+ passed, [1-9]\d* failed, \d+ skipped$")

    def test_fuzzers_are_counted_and_findings_fail(self):
        status, text = self.run_ci()
        self.assertRegex(text, r"waivers +7 +2 +0\n")
        found = 'for option; do case $option in -artifact_prefix=*) echo x >"${option#*=}crash-1";; esac; done'
        for fuzzer in (found, found + "\nexit 77", "exit 1"):
            status, text = self.run_ci(fuzzer=fuzzer)
            self.assertEqual(status, 1, text)
            self.assertRegex(text, r"waivers +\w+ +\w+ +1\n")
        self.assertRegex(text, r"file formats, fuzzed +\d+ s  FAILED")

    def test_fuzzing_needs_a_time(self):
        for arguments in ("", "0", "soon", "-5"):
            status, text = shell(f"scripts/fuzz-formats {arguments}")
            self.assertEqual(status, 2, text)
            self.assertIn("Usage: scripts/fuzz-formats SECONDS", text)


if __name__ == "__main__":
    unittest.main()
