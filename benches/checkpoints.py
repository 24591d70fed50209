#!/usr/bin/env python3
"""What checkpoints, hooks and recorded commands cost, beside git, in one run (Linux, Python 3.11, git, no packages).

    benches/checkpoints.py [LANCET]     # --files, --commands, --rounds: smaller numbers see that it works
                                        # --sources: files of 2 to 20 KB; --part time or disk: one part alone

A generated tree of 60,000 text files in a git repository. Processor time is user and system time of all processes that a command starts, and of
the recorder where there is one. Beside each figure of lancet: `git status`, and `git add -A && git write-tree` in a shadow repository, which is
how other programs keep checkpoints. What the figures must reach: benches/README.md, "Checkpoints". The exit code is the number of missed targets.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
MOST_OF_STATUS, MOST_WITH_RECORDER, MOST_OF_FIRST = 1.0, 0.1, 2.0
MOST_OF_HOOKS_MS, MOST_OF_HOOKS_ALONE, MOST_OF_DISK = 150, 2.0, 1.3
# Lines of the files, of 52 bytes each.
SMALL_FILES, SOURCE_FILES = (5, 150), (40, 385)

missed = []


def judge(name, figure, most):
    """Prints a figure with its target, and takes note of one that is missed."""
    word = "" if figure <= most else "   MISSED"
    if word:
        missed.append(name)
    print(f"  {name}: {figure:.2f} (at most {most}){word}")


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def of_process(pid):
    """The processor time of a process, its ended threads included."""
    return time.clock_gettime((~pid << 3) | 2)


class Place:
    """A project, a home and a state folder of their own."""

    def __init__(self, lancet, files, lengths):
        self.folder = Path(tempfile.mkdtemp(prefix="lancet-checkpoints-", dir=os.environ.get("LANCET_BENCH_FOLDER")))
        self.lancet, self.project = lancet, self.folder / "project"
        self.environment = {
            "HOME": str(self.folder / "home"), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_OPTIONAL_LOCKS": "0",
        }
        (self.folder / "home").mkdir()
        self.names = []
        self.random = random.Random(60_000)
        words = ["".join(self.random.choices("abcdefghijklmnoprstuvw", k=self.random.randint(2, 9))) for _ in range(4_000)]
        for number in range(files):
            name = f"part{number // 3_000}/module{number // 20 % 150}/file{number}.txt"
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = self.random.randint(*lengths)
            path.write_text("".join(" ".join(self.random.choices(words, k=8)) + "\n" for _ in range(lines)))
            self.names.append(name)
        # Files as recent as the index are not clean by their stat.
        time.sleep(2.5)
        self.git("init", "-q")
        # Packed as after a clone, and not by git in the background while something is measured.
        self.git("config", "gc.auto", "0")
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@example", "commit", "-qm", "first")
        self.git("gc", "-q")
        self.shadow = {"GIT_DIR": str(self.folder / "shadow"), "GIT_WORK_TREE": str(self.project)}
        self.git("init", "-q", more=self.shadow)
        time.sleep(2.5)
        self.git("status", "--short", more={"GIT_OPTIONAL_LOCKS": "1"})
        self.keep_shadow()

    def run(self, *command, input=None, more=None):
        done = subprocess.run(
            [str(word) for word in command], cwd=self.project, env={**self.environment, **(more or {})}, input=input,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        if done.returncode != 0:
            sys.exit(f"{command}: {done.returncode}: {done.stderr}")
        return done.stdout

    def git(self, *arguments, more=None):
        return self.run("git", *arguments, more=more)

    def keep_shadow(self):
        self.git("add", "-A", more=self.shadow)
        self.git("write-tree", more=self.shadow)

    def own(self, *arguments, **more):
        return self.run(self.lancet, *arguments, **more)

    def hook(self, name, **members):
        event = {
            "session_id": "s1", "transcript_path": "/dev/null", "cwd": str(self.project), "permission_mode": "acceptEdits",
            "hook_event_name": name, **members,
        }
        self.own("hook", "claude", "--within", "60000", input=json.dumps(event))

    def call(self, number, work=lambda: None):
        """One call of the agent's shell, between its two hooks; returns their processor time."""
        call = {"tool_name": "Bash", "tool_input": {"command": f"true {number}"}, "tool_use_id": f"call{number}"}
        begun = children()
        self.hook("PreToolUse", **call)
        before = children() - begun
        work()
        begun = children()
        self.hook("PostToolUse", **call, tool_response={"stdout": "", "stderr": "", "interrupted": False})
        return before + children() - begun

    def recorder(self):
        """The process of the recorder; none if there is none."""
        for file in (self.folder / "home/.local/state/lancet/recorders").glob("*"):
            if file.suffix == ".socket" or not file.read_text().strip():
                continue
            process = int(file.read_text().split()[0])
            if Path(f"/proc/{process}").exists():
                return process
        return None

    def state_bytes(self):
        state = self.folder / "home/.local/state/lancet"
        return sum(file.stat().st_blocks * 512 for file in state.rglob("*") if file.is_file())

    def change(self, number):
        """Changes one line of each of ten files; returns the contents before and after."""
        contents = []
        for name in self.random.sample(self.names, 10):
            path = self.project / name
            before = path.read_bytes()
            lines = before.splitlines(True)
            lines[self.random.randrange(len(lines))] = f"changed by command {number}\n".encode()
            path.write_bytes(b"".join(lines))
            contents += [before, path.read_bytes()]
        return contents


def median(rounds, work):
    taken = []
    for _ in range(rounds):
        begun = children()
        work()
        taken.append(children() - begun)
    return statistics.median(taken)


def with_recorder(place, rounds, work):
    """The median processor time of some work together with the recorder's."""
    taken = []
    for number in range(rounds):
        process = place.recorder()
        begun = of_process(process)
        own = work(number)
        # What the recorder puts off is counted, too.
        time.sleep(0.2)
        taken.append(own + of_process(process) - begun)
    return statistics.median(taken)


def main():
    sys.stdout.reconfigure(line_buffering=True)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lancet", nargs="?", default=TOP / "target/release/lancet", type=Path)
    parser.add_argument("--files", type=int, default=60_000)
    parser.add_argument("--commands", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sources", action="store_true")
    parser.add_argument("--part", choices=["all", "time", "disk"], default="all")
    asked = parser.parse_args()
    place = Place(asked.lancet.resolve(), asked.files, SOURCE_FILES if asked.sources else SMALL_FILES)
    try:
        if asked.part != "disk":
            measure_time(place, asked)
        if asked.part != "time":
            measure_disk(place, asked)
        process = place.recorder()
        if process:
            os.kill(process, signal.SIGTERM)
    finally:
        shutil.rmtree(place.folder, ignore_errors=True)
    print(f"{len(missed)} targets missed" if missed else "all targets reached")
    sys.exit(len(missed))


def checkpoint(place):
    begun = children()
    place.own("checkpoint")
    return children() - begun


def measure_time(place, asked):
    rounds = asked.rounds
    first = checkpoint(place)
    stored = place.state_bytes()
    status, shadow, unchanged = [], [], []
    for _ in range(rounds):
        status.append(median(1, lambda: place.git("status", "--short")))
        shadow.append(median(1, place.keep_shadow))
        unchanged.append(checkpoint(place))
    status, shadow, unchanged = map(statistics.median, (status, shadow, unchanged))
    print(f"processor time, {asked.files:,} files: git status {status * 1000:.0f} ms, shadow repository {shadow * 1000:.0f} ms")
    print(f"  first checkpoint {first * 1000:.0f} ms, {stored:,} bytes stored; one with nothing changed {unchanged * 1000:.0f} ms")
    judge("first checkpoint in a clean work tree, of git status", first / status, MOST_OF_FIRST)
    judge("checkpoint with nothing changed, of git status", unchanged / status, MOST_OF_STATUS)

    alone = hooks_alone(place, rounds)
    judge("hooks before and after a call without a recorder, of git status", alone / status, MOST_OF_HOOKS_ALONE)

    place.hook("UserPromptSubmit", prompt="Go.")
    while place.recorder() is None:
        time.sleep(0.1)
    time.sleep(3)
    place.call("warm")
    served = with_recorder(place, rounds, lambda number: place.call(f"served{number}"))
    changing = with_recorder(place, rounds, lambda number: place.call(f"changing{number}", lambda: place.change(number)))
    print(f"  hooks before and after: {alone * 1000:.0f} ms alone, {served * 1000:.0f} ms with a recorder, {changing * 1000:.0f} ms if ten files changed")
    judge("hooks before and after a call, with a recorder, ms", served * 1000, MOST_OF_HOOKS_MS)
    judge("the same around a change of ten files, ms", changing * 1000, MOST_OF_HOOKS_MS)
    resting = with_recorder(place, rounds, lambda _: checkpoint(place))
    print(f"  checkpoint with nothing changed, with a recorder: {resting * 1000:.0f} ms")
    judge("checkpoint with nothing changed, with a recorder, of git status", resting / status, MOST_WITH_RECORDER)


def measure_disk(place, asked):
    place.own("checkpoint")
    place.call("first")
    before = place.state_bytes()
    compressed = 0
    for number in range(asked.commands):
        changed = []
        place.call(f"disk{number}", lambda number=number: changed.extend(place.change(number)))
        # The bytes before are often those that an earlier command left; each content is stored once.
        compressed += sum(len(zlib.compress(content, 6)) for content in changed)
    place.own("gc")
    grown = place.state_bytes() - before
    print(f"disk after {asked.commands} commands that change 10 files each: {grown:,} bytes; compressed alone {compressed:,}")
    judge("disk, of the compressed bytes before and after", grown / compressed, MOST_OF_DISK)


def hooks_alone(place, rounds):
    """Hooks that find no recorder: the one that each starts is ended at once."""
    taken = []
    for number in range(rounds):
        taken.append(place.call(f"alone{number}"))
        until = time.time() + 10
        while time.time() < until:
            process = place.recorder()
            if process:
                os.kill(process, signal.SIGKILL)
                break
            time.sleep(0.05)
        time.sleep(0.3)
    return statistics.median(taken)


main()
