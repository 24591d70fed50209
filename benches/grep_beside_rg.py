#!/usr/bin/env python3
"""`lancet grep` beside `rg`, process against process, in one run (Linux, Python 3.11, no packages).

Usage: benches/grep_beside_rg.py LANCET RG TREE... Both print all lines to a pipe that is read to its end, in turn, and must
give the same lines. Printed are the medians of wall time and their ratio, which must be at most 1.0 over all questions.
LANCET must be a release build.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

MOST_RATIO = 1.0

QUESTIONS = [
    ["zqxjk_absent_word"],
    ["deadbeef"],
    ["return"],
    ["mutex_lock|spin_lock|RwLock"],
    ["fn \\w+_test"],
    ["-i", "semaphore"],
    ["-w", "write"],
    ["-c", "unsigned"],
    ["-l", "include"],
    ["-C3", "deadlock"],
    ["--files"],
]


def run(command, tree):
    """Runs a command in a tree; returns its time and its lines."""
    began = time.perf_counter()
    ran = subprocess.run(command, cwd=tree, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return time.perf_counter() - began, sorted(ran.stdout.split(b"\n"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lancet")
    parser.add_argument("rg")
    parser.add_argument("trees", nargs="+")
    parser.add_argument("--rounds", type=int, default=9)
    asked = parser.parse_args()
    lancet, program = (str(Path(shutil.which(name) or name).resolve()) for name in (asked.lancet, asked.rg))
    rg = [program, "-nH", "--no-heading", "--no-require-git", "--no-config"]
    ratios, differ = [], False
    for tree in asked.trees:
        for question in QUESTIONS:
            times = {"lancet": [], "rg": []}
            # The first round fills the page cache.
            for number in range(asked.rounds + 1):
                ours, our_lines = run([lancet, "grep", *question, "."], tree)
                theirs, their_lines = run([*rg, *question, "."], tree)
                if number:
                    times["lancet"].append(ours)
                    times["rg"].append(theirs)
            ours, theirs = (statistics.median(times[name]) for name in ("lancet", "rg"))
            ratios.append(ours / theirs)
            same = our_lines == their_lines
            differ = differ or not same
            words = "" if same else "  the lines differ"
            print(f"{' '.join(question):32} {ours * 1000:9.1f} ms {theirs * 1000:9.1f} ms  {ours / theirs:5.2f}{words}")
    ratio = statistics.geometric_mean(ratios)
    print(f"ratio over all questions {ratio:.2f}, at most {MOST_RATIO} wanted")
    sys.exit(0 if ratio <= MOST_RATIO and not differ else 1)


if __name__ == "__main__":
    main()
