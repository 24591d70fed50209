#!/usr/bin/env python3
"""Puts lancet's questions into agents' own dialogs on a real terminal (tmux), and answers them with the keys of a person.

    dialogs.py LANCET PACKAGES [AGENT ...]

An ordinary file is written after Enter and not after Escape; a protected one is not written by Enter alone. Each question must show
the path and the diff, and the hook of Claude Code and Codex the diff of what was written. The last line is `N passed, N failed`.
"""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cases
import drive
import drivers
from model import Model

# How long a dialog may take to appear, and an answer to be acted on.
PATIENCE = 40.0
BEFORE, AFTER = b"[ui]\nverbose = false\n", b"[ui]\nverbose = true\n"
DIFF = ("-verbose = false", "+verbose = true")
RULES = '[permissions]\nask = ["Edit(asked/**)"]\n'


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, command, environment, folder):
        self.server = ["tmux", "-L", "lancet-%d-%d" % (os.getpid(), time.monotonic_ns()), "-f", "/dev/null"]
        words = ["env", "-i", *("%s=%s" % pair for pair in environment.items()), *command]
        self._tmux("new-session", "-d", "-x", "120", "-y", "50", "-c", str(folder), shlex.join(words))

    def _tmux(self, *words):
        return subprocess.run([*self.server, *words], capture_output=True, text=True, timeout=30).stdout

    def screen(self):
        return self._tmux("capture-pane", "-p")

    def press(self, *keys):
        self._tmux("send-keys", *keys)

    def type(self, text):
        self._tmux("send-keys", "-l", text)

    def awaits(self, *words):
        """Waits until all words are on the screen; the screen, or None when they do not come."""
        return until(lambda: (lambda seen: seen if all(word in seen for word in words) else None)(self.screen()))

    def close(self):
        self._tmux("kill-server")


def until(condition):
    """The first value of a condition that is not None; None when its time is over."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value is not None:
            return value
        time.sleep(0.1)
    return None


class ClaudeCode(drivers.ClaudeCode):
    writes, says = "allow", "lancet changed asked/yes.txt"
    yes = (("Enter", "❯ Accept"), ("Enter", None))
    # The field has no answer, and the dialog does not accept that.
    enter_alone = (("Enter", "❯ Accept"), ("Enter", "This field is required"), ("Escape", None))
    no = (("Escape", None),)

    def settle(self, home, project):
        """What its user has answered at the first start."""
        answered = {"hasCompletedOnboarding": True, "theme": "dark", "customApiKeyResponses": {"approved": ["scripted"]},
                    "projects": {str(project): {"hasTrustDialogAccepted": True}}}
        (home / ".claude.json").write_text(json.dumps(answered, indent=2))

    def at_terminal(self, address):
        return [self.executable()]

    def begin(self, terminal):
        return terminal.awaits("❯")


class Codex(drivers.Codex):
    writes, says = "allow", "lancet changed asked/yes.txt"
    yes = (("Enter", None),)
    enter_alone = (("Enter", None),)  # It preselects the first choice, which is the no.
    no = (("Escape", None),)

    def settle(self, home, project):
        pass

    def at_terminal(self, address):
        words = self.command(address, "")
        return [word for word in words[:-1] if word not in ("exec", "--skip-git-repo-check")]

    def begin(self, terminal):
        if not terminal.awaits("Trust all and continue"):
            return None
        # The first keys are lost while the dialog is being drawn, so the key is pressed until the choice has moved.
        def moved():
            if "› 2. Trust all" in terminal.screen():
                return True
            if "› 1." in terminal.screen():
                terminal.press("Down")
            time.sleep(0.3)
            return None

        if not until(moved):
            return None
        terminal.press("Enter")
        return terminal.awaits("Ask Codex to do anything")


class Goose(drivers.Goose):
    writes, says = "ask", None  # it has no hooks
    yes = (("Enter", None),)
    # The first choice is the no; then the words for the model are asked for, with a preset text.
    enter_alone = (("Enter", "What should the model be told"), ("Enter", None))
    no = (("Escape", "cancelled"),)

    def settle(self, home, project):
        pass

    def at_terminal(self, address):
        return [self.executable(), "session"]

    def begin(self, terminal):
        return terminal.awaits("Enter to send")


ALL = (ClaudeCode, Codex, Goose)


def conversation(agent, folder, answered):
    """Three edits that each have to be asked about. The last one is answered with Escape, which ends the turn of some agents."""
    for name in ("asked/yes.txt", ".hg/hgrc", "asked/no.txt"):
        path = folder.write(name, BEFORE)
        read = yield agent.tool("Read", {"file_path": path})
        for _ in range(50):
            # At a terminal the agent does not wait for its servers: at first the tool may not be there.
            if "verbose" in read.text:
                break
            time.sleep(0.2)
            read = yield agent.tool("Read", {"file_path": path})
        edit = yield agent.tool("Edit", {"file_path": path, "old_string": "false", "new_string": "true"})
        answered[name] = edit.text


def answer(terminal, name, keys, checks):
    """Looks at the question about a file, and presses keys; the next one once the screen shows what the one before it led to."""
    seen = terminal.awaits("wants to change", "/" + name, *DIFF)
    checks.that(seen is not None, "the question about %s shows the path and the diff" % name, terminal.screen())
    lines = [line.strip(" │") for line in (seen or "").splitlines()]
    checks.that(all(line in lines for line in DIFF), "each line of the diff of %s stands by itself" % name, seen)
    for key, shown in keys:
        # At a person's pace: lancet takes no answer within 300 ms for that of a person, and Claude Code 2.1.326 passes over a key that
        # follows another one at once.
        time.sleep(0.7)
        terminal.press(key)
        if shown is not None:
            checks.that(terminal.awaits(shown) is not None, "%s leads to %r" % (key, shown), terminal.screen())


def converse(agent, model, terminal, folder, checks):
    """The conversation at the terminal."""
    answered = {}
    model.play(agent.prepared(conversation(agent, folder, answered)), agent.is_main)
    checks.that(agent.begin(terminal) is not None, "it starts", terminal.screen())
    terminal.type("Go on.")
    terminal.awaits("Go on.")
    terminal.press("Enter")
    answer(terminal, "asked/yes.txt", agent.yes, checks)
    until(lambda: answered.get("asked/yes.txt"))
    checks.same(folder.bytes("asked/yes.txt"), AFTER, "Enter answers the question about an ordinary file with yes")
    if agent.says:
        checks.that(terminal.awaits(agent.says, *DIFF) is not None, "the hook shows the diff", terminal.screen())
    answer(terminal, ".hg/hgrc", agent.enter_alone, checks)
    told = until(lambda: answered.get(".hg/hgrc"))
    checks.that(told is not None, "the model is told of the answer", terminal.screen())
    checks.same(folder.bytes(".hg/hgrc"), BEFORE, "Enter alone does not write a protected file")
    answer(terminal, "asked/no.txt", agent.no, checks)
    if agent.no[-1][1] is None:
        told = until(lambda: answered.get("asked/no.txt"))
        checks.that("Nothing was written" in (told or ""), "the model is told that nothing was written", told)
    checks.same(folder.bytes("asked/no.txt"), BEFORE, "Escape answers the question with no")


def attempt(lancet, agent):
    checks, model = cases.Checks(agent.title), Model()
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="lancet-dialog-")))
    home = base / "home"
    folder = cases.Folder(home / "work" / "project")
    terminal = None
    try:
        settings = home / ".config" / "lancet" / "lancet.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(RULES)
        agent.settle(home, folder.path)
        installed, printed = drive.install(lancet, agent, home, folder.path, agent.writes)
        checks.that(installed, "lancet install", printed)
        environment = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", "SHELL": "/bin/sh",
                       "NO_PROXY": "127.0.0.1", **agent.environment(model.address)}
        terminal = Terminal(agent.at_terminal(model.address), environment, folder.path)
        converse(agent, model, terminal, folder, checks)
    except Exception as error:  # noqa: BLE001  One agent that cannot be driven leaves the others to be tried.
        checks.that(False, "it can be driven at a terminal", repr(error))
    finally:
        if terminal:
            terminal.close()
        model.close()
        shutil.rmtree(base, ignore_errors=True)
    return checks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lancet", type=os.path.abspath)
    parser.add_argument("packages", type=Path)
    parser.add_argument("agents", nargs="*", help="all that offer a dialog, where none is named")
    chosen = parser.parse_args()
    passed = failed = 0
    for kind in ALL:
        if chosen.agents and kind.name not in chosen.agents:
            continue
        agent, began = kind(chosen.packages.resolve()), time.monotonic()
        checks = attempt(chosen.lancet, agent)
        print("  %s %s: %d checks, %.1f s" % (agent.title, agent.version(), checks.passed, time.monotonic() - began), flush=True)
        passed, failed = passed + checks.passed, failed + checks.failed
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
