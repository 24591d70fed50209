#!/usr/bin/env python3
"""Sends the edits of corpus.py through each agent's own edit tool and through lancet in the same agent, and counts the outcomes.

    compare.py LANCET PACKAGES [AGENT ...] [--into FOLDER] [--seed N] [--jobs N]

For each edit the agent reads the file with its own way of reading, then the edit is made; then the same with lancet's tools on
another copy of the file. The judge compares bytes: *right* are the bytes that were meant, *refused* is the file as it was before the
call, *damaged* is everything else. FOLDER gets AGENT.json with every outcome, and `table.md` of all agents that are there.
"""
import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import corpus
import drive
import drivers
from model import Model
from wire import Call

# The edits of one conversation: an agent sends all of it again with every call.
AT_ONCE = 50


def patch(name, case):
    """The edit in the form of Codex's apply_patch: what the two texts share at their ends is context."""
    old, new = case.old.split("\n"), case.new.split("\n")
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    lines = [" " + line for line in old[:head]]
    lines += ["-" + line for line in old[head:len(old) - tail]] + ["+" + line for line in new[head:len(new) - tail]]
    lines += [" " + line for line in old[len(old) - tail:]]
    return "\n".join(["*** Begin Patch", "*** Update File: " + name, "@@", *lines, "*** End Patch", ""])


# By agent: the arguments that let it write headless, how it reads, how it edits, and what its edit tool is called.
OWN = {
    "claude-code": (
        ["--permission-mode", "acceptEdits"], "Edit",
        lambda path, case: Call("Read", {"file_path": path}),
        lambda path, case: Call("Edit", {"file_path": path, "old_string": case.old, "new_string": case.new})),
    "codex": (
        ["--dangerously-bypass-approvals-and-sandbox"], "apply_patch",
        lambda path, case: Call("exec_command", {"cmd": "cat %s" % path, "login": False}),
        lambda path, case: Call("apply_patch", patch(path, case), kind="custom")),
    "opencode": (
        [], "edit",
        lambda path, case: Call("read", {"filePath": path}),
        lambda path, case: Call("edit", {"filePath": path, "oldString": case.old, "newString": case.new})),
    "gemini": (
        ["--approval-mode", "auto_edit"], "replace",
        lambda path, case: Call("read_file", {"file_path": path}),
        lambda path, case: Call("replace", {"file_path": path, "instruction": "Change the condition.",
                                            "old_string": case.old, "new_string": case.new})),
    "qwen": (
        ["--approval-mode", "auto-edit"], "edit",
        lambda path, case: Call("read_file", {"file_path": path}),
        lambda path, case: Call("edit", {"file_path": path, "old_string": case.old, "new_string": case.new})),
    "goose": (
        [], "edit",
        lambda path, case: Call("shell", {"command": "cat %s" % path}),
        lambda path, case: Call("edit", {"path": path, "before": case.old, "after": case.new})),
}


def without_blanks(content):
    return content.translate(None, b" \t")


def judge(case, now):
    if now == case.meant:
        return "right" if now != case.meanwhile else "refused"
    if now == case.meanwhile:
        return "refused"
    return "blanks" if without_blanks(now) == without_blanks(case.meant) else "damaged"


def script(agent, folder, cases, seen):
    """Both ways of making each edit; `seen` gets (number, way, verdict, answer, bytes)."""
    _flags, _tool, read, edit = OWN[agent.name]
    ways = [
        ("own", read, edit),
        ("lancet", lambda path, case: agent.tool("Read", {"file_path": path}),
         lambda path, case: agent.tool("Edit", {"file_path": path, "old_string": case.old, "new_string": case.new})),
    ]
    for case in cases:
        for way, reading, editing in ways:
            path = folder / way / case.name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(case.content)
            yield reading(str(path), case)
            if case.meanwhile != case.content:
                path.write_bytes(case.meanwhile)
            answer = yield editing(str(path), case)
            now = path.read_bytes()
            seen.append({"case": case.number, "way": way, "verdict": judge(case, now), "answer": answer.text[:1500], "now": now.hex()})


def compare(lancet, agent, cases, say=print):
    """All edits in one agent, in several conversations."""
    seen, model, began = [], Model(), time.monotonic()
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="lancet-compare-")))
    try:
        home, folder = base / "home", base / "home" / "work" / "project"
        folder.mkdir(parents=True)
        installed, printed = drive.install(lancet, agent, home, folder, "allow")
        assert installed, printed
        agent.flags = OWN[agent.name][0]
        for start in range(0, len(cases), AT_ONCE):
            part, before = cases[start:start + AT_ONCE], len(seen)
            status, printed = agent.run(model, home, folder, agent.prepared(script(agent, folder, part, seen)), seconds=900)
            if len(seen) - before != 2 * len(part):
                raise RuntimeError("%s stopped after %d of %d edits: exit status %s, %s\n%s" % (
                    agent.title, (len(seen) - before) // 2, len(part), status, model.failure, printed[-1500:]))
    finally:
        model.close()
        shutil.rmtree(base, ignore_errors=True)
    say("%s %s: %d edits both ways, %.0f s" % (agent.title, agent.version(), len(cases), time.monotonic() - began), flush=True)
    return {"agent": agent.title, "version": agent.version(), "tool": OWN[agent.name][1], "seen": seen}


def counts(result, way, wanted=lambda case: True, by_number=None):
    found = {"right": 0, "refused": 0, "blanks": 0, "damaged": 0}
    for one in result["seen"]:
        if one["way"] == way and wanted(by_number[one["case"]]):
            found[one["verdict"]] += 1
    return found


def table(results, cases, seed, lancet_version):
    by_number = {case.number: case for case in cases}
    landing = sum(case.determined and case.meant != case.meanwhile for case in cases)
    lines = ["| agent | own tool | right | refused | damaged | lancet there: right | refused | damaged |",
             "|---|---|---|---|---|---|---|---|"]

    def cells(found):
        blanks = " (%d in whitespace only)" % found["blanks"] if found["blanks"] else ""
        return "%d | %d | %d%s" % (found["right"], found["refused"], found["damaged"] + found["blanks"], blanks)
    for result in results:
        own, lancet = (counts(result, way, by_number=by_number) for way in ("own", "lancet"))
        lines.append("| %s %s | `%s` | %s | %s |" % (result["agent"], result["version"], result["tool"], cells(own), cells(lancet)))
    lines += ["", "Seed %d, %d edits, of which %d have one clear meaning; lancet %s. In the other %d a refusal is the correct answer." % (
        seed, len(cases), landing, lancet_version, len(cases) - landing), "",
        "By kind, *right / refused / damaged*; `~n` of the damaged differ from the intended bytes only in whitespace:", ""]
    lines += ["| %s | edits | %s | lancet |" % ("kind", " | ".join(result["agent"] for result in results)),
              "|---|---|%s---|" % ("---|" * len(results))]

    def short(found):
        damaged = found["damaged"] + found["blanks"]
        return "%d / %d / %s%s" % (found["right"], found["refused"], "**%d**" % damaged if damaged else "0",
                                   " ~%d" % found["blanks"] if found["blanks"] else "")
    for _group, kind, count, _make in corpus.KINDS:
        row = [short(counts(result, "own", lambda case: case.kind == kind, by_number)) for result in results]
        lancet = {short(counts(result, "lancet", lambda case: case.kind == kind, by_number)) for result in results}
        lines.append("| %s | %d | %s | %s |" % (kind, count, " | ".join(row), ", ".join(sorted(lancet))))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    drive.add_common(parser, drivers.COMPARED)
    parser.add_argument("--into", metavar="FOLDER", type=Path, default="target/compare")
    parser.add_argument("--seed", metavar="N", type=int, default=corpus.SEED)
    arguments = parser.parse_intermixed_args()
    lancet, seed, into = arguments.lancet, arguments.seed, arguments.into
    cases = corpus.cases(seed)
    named = arguments.agents
    agents = [kind(arguments.packages) for kind in drivers.COMPARED if not named or kind.name in named]
    version = os.popen("%s --version" % lancet).read().split()[-1]
    into.mkdir(parents=True, exist_ok=True)

    def one(agent):
        result = {"seed": seed, "lancet": version, **compare(lancet, agent, cases)}
        (into / (agent.name + ".json")).write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(one, agents))
    files = [into / (kind.name + ".json") for kind in drivers.COMPARED]
    results = [json.loads(file.read_text()) for file in files if file.exists()]
    text = table([result for result in results if result["seed"] == seed], cases, seed, version)
    (into / "table.md").write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
