# SPDX-License-Identifier: Apache-2.0
# Each check of scripts/lint finds the fault planted for it, and nothing in a tree without faults.

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LINT = Path(__file__).resolve().parents[2] / "scripts" / "lint"
HEAD = "// SPDX-License-Identifier: Apache-2.0\n// A file for a test.\n"


class Lint(unittest.TestCase):
    def run_check(self, check, files):
        """Status and text of `check` over a tree that holds `files`."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            environment = {k: v for k, v in os.environ.items() if k != "CHAINWALK_STRICT"}
            command = [sys.executable, str(LINT), "--root", folder, check]
            result = subprocess.run(command, capture_output=True, text=True, env=environment)
        if result.returncode == 77:
            self.skipTest(result.stdout.strip())
        return result.returncode, result.stdout + result.stderr

    def assert_found(self, check, files, *expected):
        status, text = self.run_check(check, files)
        self.assertEqual(status, 1, text)
        for part in expected:
            self.assertIn(part, text)

    def assert_clean(self, check, files):
        status, text = self.run_check(check, files)
        self.assertEqual(status, 0, text)

    def test_heads(self):
        self.assert_clean("heads", {"a.cpp": HEAD, "b": "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n# Does b.\n"})
        self.assert_found("heads", {"a.cpp": "// A file.\n"}, "a.cpp:1", "SPDX")
        self.assert_found("heads", {"a.cu": "// SPDX-License-Identifier: Apache-2.0\nint x;\n"}, "a.cu:2", "what the file is for")
        self.assert_found("heads", {"b": "#!/bin/sh\ntrue\n"}, "b:2", "SPDX")

    def test_lengths(self):
        self.assert_clean("lengths", {"a.cpp": HEAD + "\n" * 398})
        self.assert_found("lengths", {"a.cpp": HEAD + "\n" * 399}, "a.cpp: 401 lines")
        self.assert_clean("lengths", {"a.cpp": HEAD + "\n" * 399, "scripts/lint-exceptions.txt": "lengths a.cpp a table\n"})
        # An exception without a reason excepts nothing.
        self.assert_found("lengths", {"a.cpp": HEAD + "\n" * 399, "scripts/lint-exceptions.txt": "lengths a.cpp\n"}, "a.cpp")

    def test_functions(self):
        def body(lines):
            return HEAD + "int f(int x) {\n" + "  ++x;\n" * (lines - 3) + "  return x;\n}\n"

        self.assert_clean("functions", {"a.cpp": body(60)})
        self.assert_found("functions", {"a.cpp": body(61)}, "a.cpp:3", "61 lines")
        self.assert_found("functions", {"a.cuh": body(61)}, "a.cuh:3", "61 lines")

    def test_links(self):
        self.assert_clean("links", {"a.md": "[b](d/b.md#the-end)\n", "d/b.md": "# b\n\n## The end\n\n[up](../a.md)\n"})
        self.assert_clean("links", {"a.md": "```\n[b](b.md)\n```\nand `[b](b.md)`\n"})
        self.assert_found("links", {"a.md": "\n[b](b.md)\n"}, "a.md:2", "b.md")
        self.assert_found("links", {"a.md": "[b](b.md#start)\n", "b.md": "# End\n"}, "b.md#start", "heading")
        self.assert_found("links", {"a.md": '<img src="walk.svg">\n'}, "walk.svg")

    def test_format(self):
        style = {".clang-format": "BasedOnStyle: Google\n"}
        self.assert_clean("format", {"a.cpp": HEAD + "int x = 1;\n", **style})
        self.assert_found("format", {"a.cpp": HEAD + "int  x=1;\n", **style}, "a.cpp:3")


if __name__ == "__main__":
    unittest.main()
