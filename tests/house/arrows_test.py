# SPDX-License-Identifier: Apache-2.0
# The build refuses an include, a relative include and a link against the arrows between rooms.
# Usage: arrows_test.py <path of cmake>

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CMAKE = sys.argv.pop(1) if len(sys.argv) > 1 else "cmake"
ROOT = Path(__file__).resolve().parents[2]


def run(*command):
    result = subprocess.run([CMAKE, *map(str, command)], capture_output=True, text=True)
    # CMake breaks the lines of its messages.
    return result.returncode, " ".join((result.stdout + result.stderr).split())


class Includes(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory(prefix="tree +(x)") as folder:
            for name, text in files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return run(f"-DROOT={folder}", "-P", ROOT / "cmake/CheckArrows.cmake")

    def assert_refused(self, files, *expected):
        status, text = self.check(files)
        self.assertNotEqual(status, 0, text)
        for part in expected:
            self.assertIn(part, text)

    def assert_accepted(self, files):
        status, text = self.check(files)
        self.assertEqual(status, 0, text)

    def test_along_the_arrows(self):
        self.assert_accepted({
            "reference/src/a.cpp": '#include <vector>\n#include "chainwalk/spec/types.h"\n#include "b.h"\n',
            "reference/src/b.h": "",
            "spec/include/chainwalk/spec/types.h": "",
            "adapters/a.cpp": '#include "chainwalk/implementation.h"\n',
        })

    def test_against_the_arrows(self):
        self.assert_refused({"device/kernels/a.h": '#include "chainwalk/reference/reference.h"\n'},
                            "device/kernels/a.h", "room 'kernels'", "room 'reference'")
        self.assert_refused({"spec/src/a.cpp": "  #  include <chainwalk/oracle/oracle.h>\n"}, "room 'spec'")
        self.assert_refused({"reference/src/a.cpp": '#include "chainwalk/implementation.h"\n'}, "implementation.h")

    def test_inner_room_answers_for_itself(self):
        include = '#include "chainwalk/reference/reference.h"\n'
        self.assert_accepted({"reference/src/a.cpp": include})
        self.assert_refused({"reference/oracle/src/a.cpp": include}, "room 'oracle'")

    def test_oracle_sees_types_only(self):
        self.assert_accepted({"reference/oracle/src/a.cpp": '#include "chainwalk/spec/problem.h"\n'})
        self.assert_refused({"reference/oracle/src/a.cpp": '#include "chainwalk/spec/formats.h"\n'}, "formats.h")

    def test_relative_climb(self):
        there = {"reference/src/walk.h": ""}
        self.assert_refused({"device/plan/src/a.cpp": '#include "../../../reference/src/walk.h"\n', **there},
                            "room 'plan'", "room 'reference'")
        self.assert_refused({"device/plan/src/a.cpp": '#include "reference/src/walk.h"\n', **there}, "room 'plan'")
        self.assert_accepted({"reference/src/deep/a.cpp": '#include "../walk.h"\n', **there})

    def test_header_of_no_room(self):
        self.assert_refused({"spec/src/a.cpp": '#include "chainwalk/attic/a.h"\n'}, "names no room")

    def test_tests_are_free(self):
        self.assert_accepted({"spec/tests/a.cpp": '#include "chainwalk/oracle/oracle.h"\n'})


class Links(unittest.TestCase):
    def configure(self, rooms):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            (path / "a.cpp").write_text("int a() { return 1; }\n")
            (path / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(arrows LANGUAGES CXX)\n"
                f'include("{ROOT}/cmake/ChainwalkRooms.cmake")\n'
                "add_library(chainwalk_flags INTERFACE)\n" + rooms + "chainwalk_check_arrows()\n")
            return run("-G", "Ninja", "-S", path, "-B", path / "build")

    def test_along(self):
        status, text = self.configure("chainwalk_library(platform SOURCES a.cpp)\n"
                                      "chainwalk_library(spec SOURCES a.cpp ROOMS platform)\n")
        self.assertEqual(status, 0, text)

    def test_against(self):
        for link in ("ROOMS spec", "LIBRARIES chainwalk::spec", "PRIVATE_LIBRARIES chainwalk_spec"):
            status, text = self.configure("chainwalk_library(spec SOURCES a.cpp)\n"
                                          f"chainwalk_library(platform SOURCES a.cpp {link})\n")
            self.assertNotEqual(status, 0, link + text)
            self.assertIn("room 'platform' may not link room 'spec'", text)


if __name__ == "__main__":
    unittest.main()
