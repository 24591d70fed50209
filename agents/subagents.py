#!/usr/bin/env python3
"""Sub-agents of real agents: what the parent has read its sub-agent has not seen, and the reverse, and going back to the person's
prompt takes the changes of both along.

    subagents.py LANCET PACKAGES [AGENT ...] [--jobs N]

The last line is `N passed, N failed`.
"""
import json
import os
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import argparse

import cases
import drive
import drivers
import hooks
from model import Model

AGENTS = [drivers.ClaudeCode, drivers.Qwen, drivers.Copilot]

PROMPT = "Share this work with somebody."
PART = "This is the part of the work that you are given."

READ_BY_PARENT = b"one\ntwo\nthree\n"
READ_BY_SUB_AGENT = b"red\ngreen\nblue\n"


def refused(checks, folder, name, before, answer, what):
    checks.same(folder.bytes(name), before, what + " changes nothing")
    checks.that("read" in answer.text and "Read" in answer.text, what + " is told to read the file first", answer.text)


def parent(agent, folder, checks):
    """What the model of the person's conversation does."""
    mine, other = folder.at("parent.txt"), folder.at("sub.txt")
    yield agent.tool("Read", {"file_path": mine})
    yield agent.sub_agent(PART)
    before = folder.bytes("sub.txt")
    checks.same(before, READ_BY_SUB_AGENT.replace(b"green", b"yellow"), "a sub-agent edits what it has read")
    edit = yield agent.tool("Edit", {"file_path": other, "old_string": "yellow", "new_string": "black"})
    refused(checks, folder, "sub.txt", before, edit, "a parent's Edit of what only the sub-agent has read")
    write = yield agent.tool("Write", {"file_path": other, "content": "gone\n"})
    refused(checks, folder, "sub.txt", before, write, "a parent's Write over what only the sub-agent has read")
    edit = yield agent.tool("Edit", {"file_path": mine, "old_string": "three", "new_string": "3"})
    checks.same(folder.bytes("parent.txt"), READ_BY_PARENT.replace(b"three", b"3"), "a parent goes on with what it has read")
    write = yield agent.tool("Write", {"file_path": mine, "content": "all\nnew\n"})
    checks.that(folder.bytes("parent.txt") == b"all\nnew\n", "a parent may write over what it has seen whole", write.text)


def sub_agent(agent, folder, checks):
    """What the model of the sub-agent does."""
    theirs, own = folder.at("parent.txt"), folder.at("sub.txt")
    edit = yield agent.tool("Edit", {"file_path": theirs, "old_string": "two", "new_string": "2"})
    refused(checks, folder, "parent.txt", READ_BY_PARENT, edit, "a sub-agent's Edit of what only its parent has read")
    write = yield agent.tool("Write", {"file_path": theirs, "content": "gone\n"})
    refused(checks, folder, "parent.txt", READ_BY_PARENT, write, "a sub-agent's Write over what only its parent has read")
    yield agent.tool("Read", {"file_path": own})
    yield agent.tool("Edit", {"file_path": own, "old_string": "green", "new_string": "yellow"})


def recorded(lancet, home, folder, checks):
    """What log and sessions show, and what going back to the prompt does."""
    lines = [json.loads(line) for line in hooks.shell(lancet, home, folder, "log", "--json").stdout.splitlines()]
    made = {Path(file["file_path"]).name: change for change in reversed(lines[:-1]) for file in change["files"]}
    own, other = made.get("parent.txt", {}), made.get("sub.txt", {})
    checks.that(own.get("session") and own["session"] != other.get("session"), "parent and sub-agent have records of their own", lines)
    checks.same((other.get("sub_agent") or {}).get("parent"), own.get("session"), "the log names the parent of a sub-agent")
    checks.that(own.get("prompt") == other.get("prompt") == PROMPT, "changes of both came of the person's prompt", lines)
    listed = hooks.shell(lancet, home, folder, "sessions").stdout.splitlines()
    at = next((at for at, line in enumerate(listed) if line.startswith(str(own.get("session")))), -2)
    below = listed[at + 1] if 0 <= at < len(listed) - 1 else ""
    checks.that(below.startswith("\u2514 " + str(other.get("session"))), "lancet sessions lists the sub-agent below its parent", listed)
    done = hooks.shell(lancet, home, folder, "undo", "--to-prompt", "--yes")
    checks.that(PROMPT in done.stdout + done.stderr, "lancet undo --to-prompt names the person's prompt", done.stdout + done.stderr)
    checks.same(folder.bytes("parent.txt"), READ_BY_PARENT, "going back to the prompt takes the parent's changes back")
    checks.same(folder.bytes("sub.txt"), READ_BY_SUB_AGENT, "going back to the prompt takes the sub-agent's changes back")


def attempt(lancet, agent):
    checks, began, model = cases.Checks(agent.title), time.monotonic(), Model()
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="lancet-agent-")))
    try:
        home = base / "home"
        folder = cases.Folder(home / "work" / "project")
        folder.write("parent.txt", READ_BY_PARENT)
        folder.write("sub.txt", READ_BY_SUB_AGENT)
        installed, printed = drive.install(lancet, agent, home, folder.path, "allow")
        checks.that(installed, "lancet install", printed)
        script = agent.prepared(parent(agent, folder, checks))
        parts = [(PART, sub_agent(agent, folder, checks))]
        status, printed = agent.run(model, home, folder.path, script, prompt=PROMPT, sub_agents=parts)
        finished = model.finished and all(played.finished for _, played in model.sub_agents)
        checks.that(finished and model.failure is None, "both conversations run to their end",
                    "%s\nexit status %s\n%s" % (model.failure, status, printed[-1500:]))
        recorded(lancet, home, folder, checks)
    except Exception as error:  # noqa: BLE001  One agent that cannot be driven leaves the others to be tried.
        checks.that(False, "it can be driven", repr(error))
    finally:
        shutil.rmtree(base, ignore_errors=True)
        model.close()
    return checks, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    drive.add_common(parser, AGENTS)
    arguments = parser.parse_intermixed_args(sys.argv[1:])
    named = arguments.agents
    agents = [kind(arguments.packages) for kind in AGENTS if not named or kind.name in named]
    passed = failed = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for agent, (checks, seconds) in zip(agents, pool.map(lambda agent: attempt(arguments.lancet, agent), agents)):
            print("  %s %s: %d checks, %.1f s" % (checks.title, agent.version(), checks.passed, seconds), flush=True)
            passed, failed = passed + checks.passed, failed + checks.failed
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
