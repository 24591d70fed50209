#!/usr/bin/env python3
"""Replies of 50 MB that are nothing but marker lines: what `lancet apply --check` takes for each, and what it answers.

    benches/slow_replies.py [BINARY] [--size MB]

The bound is a second and three times the size of the reply in memory. Printed are wall time, CPU time and the most memory that
the process had resident; the first row is a reply of one line, what the program takes for itself.
"""

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent

LINES = {
    "<<<<<<< SEARCH": ["<<<<<<< SEARCH"],
    "whole blocks of one file": ["a.txt", "<<<<<<< SEARCH", "x", "=======", "y", ">>>>>>> REPLACE"],
    "=======": ["a.txt", "<<<<<<< SEARCH", "x", *["========"] * 100_000],
    "...": ["a.txt", "<<<<<<< SEARCH", *["..."] * 100_000],
    "```": ["```"],
    "fences that grow": None,
    "a path and a fence": ["a.txt", "```", "x", "```"],
    "*** Begin Patch": ["*** Begin Patch"],
    "*** Update File, @@": ["*** Begin Patch", "*** Update File: a.txt", *["@@"] * 100_000],
    "@@ anchors": ["*** Begin Patch", "*** Update File: a.txt", *["@@ x", " y"] * 100_000],
    "*** Add File": ["*** Begin Patch", *["*** Add File: a.txt", "+x"] * 100_000],
    "--- and +++": ["--- a/a.txt", "+++ b/a.txt"],
    "@@ -1 +1 @@": ["--- a/a.txt", "+++ b/a.txt", *["@@ -1 +1 @@", "-x", "+y"] * 100_000],
    "diff --git": ["diff --git a/a.txt b/a.txt"],
    "--- alone": ["--- a/a.txt"],
    "<think>": ["<think>"],
    "empty lines": [""],
    "lines of one letter": ["x"],
    "<": ["<"],
    "---": ["---"],
    "--- without a name": ["--- "],
    "a fence around one letter": ["```", "x", "```"],
}

# What stands once before the lines, the line, and what stands once after them.
FRAMED = {
    "empty lines in a fence": ("```\n", "\n", ""),
    "empty lines in a block": ("a.txt\n<<<<<<< SEARCH\n", "\n", ""),
    "empty lines of thinking": ("<think>\n", "\n", ""),
    "anchors without lines": ("*** Begin Patch\n*** Update File: a.txt\n", "@@ x\n", " y\n*** End Patch\n"),
    "a whole file of empty lines": ("a.txt\n```\n", "\n", "```\n"),
    "a whole file of `<`": ("a.txt\n```\n", "<\n", "```\n"),
}


def reply(name, size):
    if name == "fences that grow":
        lines, length, at = [], 0, 3
        while length < size:
            lines.append("`" * at)
            length += at + 1
            at += 1
        return ("\n".join(lines) + "\n").encode()
    if name in FRAMED:
        before, line, after = (part.encode() for part in FRAMED[name])
        return before + line * ((size - len(before) - len(after)) // len(line)) + after
    unit = ("\n".join(LINES[name]) + "\n").encode()
    return (unit * (size // len(unit) + 1))[:size]


def write(name, size, given):
    """In a process of its own: what this one has resident at a start counts for the program that it starts."""
    writer = os.fork()
    if writer == 0:
        given.write_bytes(b"x\n" if name is None else reply(name, size))
        os._exit(0)
    os.waitpid(writer, 0)


def run(binary, given, ground):
    (ground / "root").mkdir(exist_ok=True)
    (ground / "root" / "a.txt").write_text("x\n")
    started = time.monotonic()
    process = subprocess.Popen(
        [binary, "apply", given, "--check", "--root", ground / "root", "--state-dir", ground / "state"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )
    answer = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.monotonic() - started
    words = " ".join(answer.decode(errors="replace").split())
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status), words[:110]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", default=TOP / "target" / "release" / "lancet")
    parser.add_argument("--size", type=int, default=50)
    arguments = parser.parse_args()
    print("| lines | wall s | CPU s | MB | exit | answer |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as ground:
        for name in [None, *LINES, *FRAMED]:
            given = Path(ground) / "reply"
            write(name, arguments.size << 20, given)
            wall, cpu, memory, code, words = run(arguments.binary, given, Path(ground))
            label = "one line of prose" if name is None else f"`{name}`"
            print(f"| {label} | {wall:.2f} | {cpu:.2f} | {memory:.0f} | {code} | {words} |", flush=True)


if __name__ == "__main__":
    main()
