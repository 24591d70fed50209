#!/usr/bin/env python3
"""Drives real agents with a scripted model: each in a fresh home folder, with lancet installed by `lancet install` alone.

    drive.py LANCET PACKAGES [AGENT ...] [--recorded FILE [--report | --bless]] [--jobs N]

LANCET is the program; PACKAGES the folder with one folder of npm packages for each agent. What was seen of an agent is compared
with FILE (agents/recorded.json): a difference is a failure, or with --report is printed only, for versions other than the recorded;
--bless writes FILE anew.
The last line is `N passed, N failed`.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cases
import drivers
import hooks
from model import Model
from tap import Tap

# In the second conversation lancet's table of clients is overridden, so that what the agent itself cuts can be seen.
UNLIMITED = """[read]
clients."*" = 1000000
"""


def install(lancet, agent, home, project, writes):
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    done = subprocess.run([lancet, "install", agent.name, "--yes", "--writes", writes], cwd=project, env=environment,
                          capture_output=True, text=True, timeout=60)
    return done.returncode == 0, done.stdout + done.stderr


def drive(lancet, agent, model, checks):
    """All conversations; what was seen of the agent."""
    facts = {"version": agent.version()}
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="lancet-agent-")))
    try:
        home = base / "home"
        folder = cases.Folder(home / "work" / "project")
        for writes, script in (("allow", cases.editing), ("ask", cases.asking)):
            installed, printed = install(lancet, agent, home, folder.path, writes)
            checks.that(installed, "lancet install --writes %s" % writes, printed)
            if writes == "ask":
                settings = home / ".config" / "lancet" / "lancet.toml"
                settings.parent.mkdir(parents=True, exist_ok=True)
                settings.write_text(UNLIMITED)
            status, printed = agent.run(model, home, folder.path, agent.script(script(agent, folder, checks, facts), checks))
            checks.that(model.failure is None, "the script runs to its end", model.failure)
            ended = writes == "ask" and agent.ends_when_asked
            checks.that(model.finished != ended, "all calls are made", "exit status %s\n%s" % (status, printed[-1500:]))
            if writes == "allow":
                facts["deferred"] = agent.deferred(model.requests)
                listed = sorted(agent.offered(model.requests[0])) if model.requests else []
                facts["listed_at_first"] = len(listed)
                sent = json.dumps([request.body for request in model.requests[:8]])
                unknown = [name for name in drivers.NAMES if name not in listed and agent.named(name) not in sent]
                checks.that(not unknown, "the model is told of lancet's tools, in the list or as found by a search", unknown)
                if agent.read_only:
                    flags, agent.flags = agent.flags, agent.read_only
                    agent.run(model, home, folder.path, agent.prepared(cases.confined(agent, folder, checks, facts)))
                    checks.that(model.finished, "the call in the sandbox is made", model.failure)
                    agent.flags = flags
                facts.update(listened(lancet, agent, model, checks, base, folder))
        checks.same(folder.bytes("ask.txt"), b"one\ntwo\n", "nothing is written without a person's yes")
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return facts


def listened(lancet, agent, model, checks, base, folder):
    """The conversation in which hooks are tried, and what the agent sends to lancet is looked at."""
    home, facts, tap = base / "home", {}, Tap(base, lancet)
    tap.put_into(home)
    flags, agent.flags = agent.flags, agent.hooked or agent.flags
    script = agent.prepared(hooks.conversation(agent, folder, checks, facts))
    status, printed = agent.run(model, home, folder.path, script, prompt=hooks.PROMPT)
    agent.flags = flags
    checks.that(model.finished and model.failure is None, "the conversation with hooks runs to its end",
                "%s\nexit status %s\n%s" % (model.failure, status, printed[-1500:]))
    facts.update(tap.facts())
    facts.update(hooks.recorded(lancet, home, folder))
    if agent.hooked is not None:
        hooks.check(lancet, agent, home, folder, printed, checks, facts)
    return facts


def attempt(lancet, agent):
    """Drives one agent; its checks, what was seen of it, and the seconds it took."""
    checks, began, model = cases.Checks(agent.title + agent.variant), time.monotonic(), Model()
    facts = {}
    try:
        facts = drive(lancet, agent, model, checks)
    except Exception as error:  # noqa: BLE001  One agent that cannot be driven leaves the others to be tried.
        checks.that(False, "it can be driven", repr(error))
    model.close()
    return checks, facts, time.monotonic() - began


def add_common(parser, kinds):
    """Adds the arguments that compare.py takes as well; `kinds` are the drivers of the agents that can be named."""
    # Two drivers may have one name: an agent with a variant.
    names = sorted({kind.name for kind in kinds})

    def agent(word):
        if word not in names:
            raise argparse.ArgumentTypeError("there is no agent %r; the agents are %s" % (word, ", ".join(names)))
        return word
    parser.add_argument("lancet", metavar="LANCET", type=os.path.abspath)
    parser.add_argument("packages", metavar="PACKAGES", type=lambda word: Path(word).resolve())
    parser.add_argument("agents", metavar="AGENT", nargs="*", type=agent)
    parser.add_argument("--jobs", metavar="N", type=int, default=1)


def arguments_of(words, kinds, description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_common(parser, kinds)
    parser.add_argument("--recorded", type=Path, metavar="FILE")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--report", action="store_true")
    ways.add_argument("--bless", action="store_true")
    arguments = parser.parse_intermixed_args(words)
    if (arguments.report or arguments.bless) and not arguments.recorded:
        parser.error("--report and --bless need --recorded FILE")
    return arguments


def main(kinds, attempt, description):
    """Drives the agents that the command line names; `attempt` drives one."""
    arguments = arguments_of(sys.argv[1:], kinds, description)
    file = arguments.recorded
    recorded = json.loads(file.read_text()) if file and file.exists() else {}
    passed = failed = 0
    named = arguments.agents
    agents = [kind(arguments.packages) for kind in kinds if not named or kind.name in named]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for agent, (checks, facts, seconds) in zip(agents, pool.map(lambda agent: attempt(arguments.lancet, agent), agents)):
            if file and not arguments.bless:
                known = recorded.get(agent.key, {})
                differences = ["%s: %r, recorded %r" % (key, facts.get(key), known.get(key))
                               for key in sorted({*known, *facts}) if facts.get(key) != known.get(key)]
                if arguments.report:
                    for line in differences:
                        print("%s differs in %s" % (checks.title, line))
                else:
                    checks.that(not differences, "it behaves as recorded", "; ".join(differences))
            recorded[agent.key] = facts
            print("  %s %s: %d checks, %.1f s" % (checks.title, facts.get("version", "?"), checks.passed, seconds), flush=True)
            passed, failed = passed + checks.passed, failed + checks.failed
    if arguments.bless:
        file.write_text(json.dumps(recorded, indent=2, ensure_ascii=False) + "\n")
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(drivers.ALL, attempt, __doc__))
