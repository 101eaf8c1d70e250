# SPDX-License-Identifier: Apache-2.0
# Campaigns under mpirun: the same cases on one rank and on four, and nothing lost with ranks that are killed.
# Usage: ranks_test.py <chainwalk> <chainwalk_mpi.so> <mpi_echo>. Status 77: mpirun is missing.

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

CHAINWALK, MODULE, ECHO = sys.argv[1:4]
# A fault that the walk campaign finds within the budget below, many times over.
WRONG = ["--on", "wrong:rule=store-truncates"]
CASES = 3000
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def mpirun(ranks, *command, options=("--enable-recovery",)):
    return ["mpirun", *options, "-np", str(ranks), *map(str, command)]


def fuzz(corpus, *options):
    return [CHAINWALK, "fuzz", "--seed", "5", "--jobs", "1", "--shrink-seconds", "0", "--corpus", corpus, *options]


def run(command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, env=ENVIRONMENT, timeout=500, **options)


def ranks_of(process):
    """Processes that an mpirun has started, by rank."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            status = (entry / "status").read_text()
            environment = (entry / "environ").read_bytes()
        except (OSError, ValueError):
            continue
        parent = re.search(r"^PPid:\t(\d+)$", status, re.M)
        rank = re.search(rb"(?:^|\0)OMPI_COMM_WORLD_RANK=(\d+)\0", environment)
        if rank and parent and int(parent.group(1)) == process.pid:
            found[int(rank.group(1))] = int(entry.name)
    return found


class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="chainwalk-ranks-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def total(self, name):
        return json.loads((self.folder / name / "ledger.json").read_text())["total"]

    def campaign(self, name, ranks, *options):
        command = fuzz(self.folder / name, *options)
        result = run(mpirun(ranks, *command) if ranks else command)
        self.assertNotIn("error", result.stderr)
        return result

    def test_messages_of_any_length(self):
        self.assertIn("echoed 24\n", run(mpirun(4, ECHO, MODULE)).stdout)
        self.assertIn("echoed 24\n", run(mpirun(4, ECHO, MODULE, options=())).stdout)

    def test_a_rank_dies_in_the_middle_of_a_message(self):
        # The last message of the dead rank may have gone out whole.
        self.assertRegex(run(mpirun(4, ECHO, MODULE, 2)).stdout, r"echoed 2[45]\n")

    def test_the_same_cases_on_one_rank_and_on_four(self):
        # Two epochs and a half: the weights of the later ones come from what all ranks covered.
        options = "--campaign", "quantized", "--cases", 10240
        self.campaign("alone", 0, *options)
        self.campaign("four", 4, *options)
        alone, four = self.total("alone"), self.total("four")
        self.assertEqual(alone["cases"], 10240)
        self.assertGreater(alone["fingerprints"], 0)
        self.assertEqual(alone, four)

    def test_the_same_findings_on_one_rank_and_on_four(self):
        self.campaign("alone", 0, *WRONG, "--cases", CASES)
        self.campaign("four", 4, *WRONG, "--cases", CASES)
        self.assertGreater(len(self.total("alone")["findings"]), 0)
        self.assertEqual(self.total("alone"), self.total("four"))

    def test_status_of_a_campaign_without_recovery_is_its_own(self):
        for options, status in (((), 0), (WRONG, 1)):
            command = fuzz(self.folder / f"status{status}", *options, "--cases", "300")
            self.assertEqual(run(mpirun(2, *command, options=())).returncode, status)

    def start(self, ranks, *command):
        return subprocess.Popen(list(map(str, mpirun(ranks, *command))), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)

    def test_a_campaign_whose_rank_0_is_killed_is_continued(self):
        # More cases than are run before rank 0 is killed, and the ledger has been saved by then.
        command = fuzz(self.folder / "killed", *WRONG, "--cases", 1000000, "--silence", "2")
        process = self.start(3, *command)
        ledger = self.folder / "killed" / "ledger.json"
        while not ledger.exists() and process.poll() is None:
            time.sleep(0.1)
        os.kill(ranks_of(process)[0], signal.SIGKILL)
        text = process.communicate(timeout=500)
        for rank in (1, 2):
            self.assertIn(f"rank {rank}: rank 0 has said nothing for 2 s; the same line continues", text[1])
        kept = self.total("killed")["cases"]
        self.assertGreater(kept, 0)
        for name, ranks in (("killed", 3), ("whole", 0)):
            self.campaign(name, ranks, *WRONG, "--cases", kept + CASES)
        self.assertEqual(self.total("killed"), self.total("whole"))

    def test_killed_ranks_lose_nothing(self):
        self.campaign("whole", 0, *WRONG, "--cases", CASES)
        for seed in range(3):
            name = f"killed{seed}"
            chance = random.Random(seed)
            command = fuzz(self.folder / name, *WRONG, "--cases", CASES, "--silence", "2")
            process = self.start(4, *command)
            killed = 0
            victims = chance.sample([1, 2, 3], chance.choice([1, 2, 3]))
            while victims and process.poll() is None:
                time.sleep(chance.uniform(0.1, 1))
                there = ranks_of(process)
                if len(there) == 4 - killed and (self.folder / name / "worker-0.place").exists():
                    os.kill(there[victims.pop()], signal.SIGKILL)
                    killed += 1
            text = process.communicate(timeout=500)
            self.assertGreater(killed, 0, "the campaign was over before a rank could be killed")
            self.assertRegex(text[1], r"rank \d has said nothing for 2 s")
            self.assertEqual(self.total(name), self.total("whole"), text)


if __name__ == "__main__":
    if not shutil.which("mpirun"):
        print("skipped: mpirun is missing (apt-get install openmpi-bin)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
