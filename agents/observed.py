#!/usr/bin/env python3
"""Real agents that keep their own tools: what these change is recorded by the hooks, and going back to the prompt gives the tree back.

    observed.py LANCET PACKAGES [AGENT ...] [--recorded FILE [--report | --bless]] [--jobs N]

With one prompt an agent edits with its own tool, runs `sed -i` over ten files, deletes a folder, moves a file, makes an executable and a
link, runs a formatter, and commits with git, twice: after `lancet install AGENT --observe`, and after `lancet install AGENT` with edits by
lancet's tools in between. `lancet undo --to-prompt` then gives back every file byte for byte, mode for mode and link for link, leaves
`.git` alone, and `lancet redo` brings everything forward again. FILE has which events each agent sends, and what lancet records of them.
The last line is `N passed, N failed`.
"""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cases
import dialogs
import drive
import drivers
import hooks
from model import Model
from tap import Tap
from wire import Call

PROMPT = "Put this project in order."
LINES = b"alpha one\nalpha two\nalpha three\n"
SCRIPT = "#!/bin/sh\necho run\n"
UGLY = b"fn main(){let  x=1;\nprintln!(\"{x}\");}\n"
COMMIT = "git add -A && git -c user.name=Agent -c user.email=agent@example.org commit -qm work"


class ClaudeCode(drivers.ClaudeCode):
    flags = ("--dangerously-skip-permissions",)

    def own_edit(self, path, name, old, new):
        yield Call("Read", {"file_path": path})
        yield Call("Edit", {"file_path": path, "old_string": old, "new_string": new})

    def shell(self, script):
        return Call("Bash", {"command": script, "description": "as the user wishes"})


class Codex(dialogs.Codex):
    """With a model that Codex knows, it offers apply_patch."""
    flags = ("--dangerously-bypass-approvals-and-sandbox",)
    model = "gpt-5.5"

    def own_edit(self, path, name, old, new):
        patch = "*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch\n"
        yield Call("apply_patch", patch % (name, old, new), kind="custom")
        # The same by the shell: Codex applies it itself, and its hooks say nothing of the end.
        yield self.shell("apply_patch <<'EOF'\n%sEOF" % (patch % (name, new, new + "!")))

    def shell(self, script):
        return Call("exec_command", {"cmd": script, "login": False})

    def prepared(self, inner):
        yield Call("tool_search", {"query": "read and edit file"}, kind="search")
        yield from inner

    def at_terminal(self, address):
        """With the other model: of a known one it would first say that there is a newer one."""
        return dialogs.Codex(self.folder.parent).at_terminal(address)

    def begin(self, terminal):
        """In a git work tree it asks about the folder first, and of this screen, too, the first keys are lost."""
        def asked_about_hooks():
            screen = terminal.screen()
            if "Hooks need review" in screen:
                return True
            if "Trust this folder?" in screen:
                terminal.press("Enter")
                time.sleep(0.5)
            return None
        return dialogs.until(asked_about_hooks) and super().begin(terminal)


class Gemini(drivers.Gemini):
    flags = ("--yolo",)

    def own_edit(self, path, name, old, new):
        yield Call("read_file", {"file_path": path})
        yield Call("replace", {"file_path": path, "instruction": "Change the line.", "old_string": old, "new_string": new})

    def shell(self, script):
        return Call("run_shell_command", {"command": script, "description": "as the user wishes"})


class Opencode(drivers.Opencode):
    def own_edit(self, path, name, old, new):
        yield Call("read", {"filePath": path})
        yield Call("edit", {"filePath": path, "oldString": old, "newString": new})

    def shell(self, script):
        return Call("bash", {"command": script, "description": "as the user wishes"})


class Qwen(drivers.Qwen):
    flags = ("--yolo",)

    def own_edit(self, path, name, old, new):
        yield Call("read_file", {"file_path": path})
        yield Call("edit", {"file_path": path, "old_string": old, "new_string": new})

    def shell(self, script):
        return Call("run_shell_command", {"command": script, "description": "as the user wishes", "is_background": False})


class Copilot(drivers.Copilot):
    flags = ("--allow-all-paths",)

    def own_edit(self, path, name, old, new):
        yield Call("view", {"path": path})
        yield Call("edit", {"path": path, "old_str": old, "new_str": new})

    def shell(self, script):
        return Call("bash", {"command": script, "description": "as the user wishes", "mode": "sync"})


AGENTS = [ClaudeCode, Codex, Gemini, Opencode, Qwen, Copilot]


def git(folder, *words):
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "-c", "user.name=Person", "-c", "user.email=person@example.org", *words], cwd=folder, env=environment,
                   check=True, capture_output=True)


def prepare(folder):
    """The project, with work of the person that git does not have."""
    for number in range(10):
        folder.write("src/part%d.txt" % number, LINES)
    folder.write("old/inner/notes.md", b"no newline at the end")
    folder.write("old/picture.bin", bytes(range(256)) * 64)
    folder.write("old/caf\udce9.txt", b"a name that is not UTF-8\n")
    folder.write("from.txt", b"moves\r\n")
    folder.write("tool.sh", b"#!/bin/sh\ntrue\n")
    folder.write("main.rs", UGLY)
    folder.write(".gitignore", b".env\n")
    (folder.path / "current").symlink_to("from.txt")
    (folder.path / "tool.sh").chmod(0o644)
    git(folder.path, "init", "-q")
    git(folder.path, "add", "-A")
    git(folder.path, "commit", "-qm", "first")
    folder.write("draft.txt", b"not in git\n")
    folder.write("src/part9.txt", LINES + b"alpha, the person's\n")
    folder.write(".env", b"API_TOKEN=not-for-anybody\n")
    (folder.path / "empty").mkdir()


def tree(path, within=""):
    """Every file, link and empty folder below a folder: bytes, target and mode. `.git` is one of them only when it is asked for."""
    found = {}
    for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
        name, mode = within + entry.name, stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode)
        if entry.is_symlink():
            found[name] = ("link", os.readlink(entry.path))
        elif not entry.is_dir():
            found[name] = (mode, Path(entry.path).read_bytes())
        elif entry.name != ".git":
            below = tree(entry.path, name + "/")
            found.update(below or {name + "/": mode})
    return found


def differences(seen, wanted):
    return ["%s: %.80r instead of %.80r" % (name, seen.get(name), wanted.get(name))
            for name in sorted({*seen, *wanted}) if seen.get(name) != wanted.get(name)]


def formatter():
    """A formatter by its path: the agent's home folder is not that of the person who runs this."""
    found = subprocess.run(["rustup", "which", "rustfmt"], capture_output=True, text=True) if shutil.which("rustup") else None
    return found.stdout.strip() if found and found.returncode == 0 else "rustfmt"


def conversation(agent, folder, by_lancet):
    """What the model does; with `by_lancet`, lancet's tools change files in between."""
    yield from agent.own_edit(folder.at("src/part1.txt"), "src/part1.txt", "alpha two", "beta two")
    yield agent.shell("sed -i s/alpha/gamma/ src/part*.txt")
    if by_lancet:
        yield agent.tool("Read", {"file_path": folder.at("src/part2.txt")})
        yield agent.tool("Edit", {"file_path": folder.at("src/part2.txt"), "old_string": "gamma two", "new_string": "delta two"})
        yield agent.tool("Write", {"file_path": folder.at("made.txt"), "content": "by lancet\n"})
    yield agent.shell("rm -r old empty && mv from.txt to.txt")
    yield agent.shell("printf '%s' > run.sh && chmod +x run.sh tool.sh && ln -s run.sh run && ln -sfn to.txt current && mkdir made" % (
        SCRIPT.replace("\n", "\\n")))
    if by_lancet:
        yield agent.tool("Read", {"file_path": folder.at("main.rs")})
        yield agent.tool("Edit", {"file_path": folder.at("main.rs"), "old_string": "x=1", "new_string": "x=2"})
    yield agent.shell("%s main.rs" % formatter())
    # Two at once, and one that fails.
    yield [agent.shell("sleep 0.3; echo left > left.txt"), agent.shell("sleep 0.3; echo right > right.txt")]
    yield agent.shell("echo gone > draft.txt; exit 3")
    yield agent.shell(COMMIT)
    if by_lancet:
        yield agent.tool("Edit", {"file_path": folder.at("made.txt"), "old_string": "lancet", "new_string": "lancet again"})


def trust(agent, model, home, folder, checks):
    """Gives Codex the trust that it asks for at a terminal. Returns the arguments with which it needs none."""
    if agent.name != "codex":
        return ()
    if not shutil.which("tmux"):
        return ("--dangerously-bypass-hook-trust",)
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", "SHELL": "/bin/sh",
                   "NO_PROXY": "127.0.0.1", **agent.environment(model.address)}
    terminal = dialogs.Terminal(agent.at_terminal(model.address), environment, folder.path)
    try:
        checks.that(agent.begin(terminal) is not None, "its dialog takes the trust in the hooks", terminal.screen())
    finally:
        terminal.close()
    return ()


def check_log(lancet, agent, home, folder, checks):
    """What the log has of the agent's own tools; the facts about it, in the order of the calls."""
    lines = [json.loads(line) for line in hooks.shell(lancet, home, folder, "log", "--json").stdout.splitlines()]
    lines = [line for line in reversed(lines) if "operation" in line]
    sessions = {line.get("session") for line in lines}
    checks.that(len(sessions) == 1, "all changes are those of one conversation", sessions)
    checks.that(all(line.get("prompt", "").strip('"') == PROMPT for line in lines), "all changes came of the prompt", lines)
    checks.that(not any(line["tool"] == "unattributed" for line in lines), "each change is that of a call", lines)
    # Which of two calls at the same time has which file depends on the moment.
    alone = [line for line in lines if "sleep" not in (line.get("command") or "")]
    failed = next((line for line in lines if "exit 3" in (line.get("command") or "")), {})
    return {
        "recorded": " ".join("%s:%d" % (line["tool"], len(line["files"])) for line in alone),
        "recorded_has": " ".join(key for key in ("turn", "call") if all(line.get(key) for line in lines)),
        "exit_code_of_a_failure": failed.get("exitCode"),
    }


def drive_once(lancet, agent, model, checks, by_lancet):
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="lancet-observed-")))
    facts = {}
    way = "with lancet's tools in between: " if by_lancet else ""
    try:
        home = base / "home"
        folder = cases.Folder(home / "work" / "project")
        prepare(folder)
        words = ["--writes", "allow"] if by_lancet else ["--observe"]
        done = hooks.shell(lancet, home, folder, "install", agent.name, "--yes", *words)
        checks.that(done.returncode == 0, way + "lancet install", done.stdout + done.stderr)
        tap = Tap(base, lancet)
        tap.put_into(home)
        flags = agent.flags
        agent.flags = (*flags, *trust(agent, model, home, folder, checks))
        before = tree(folder.path)
        inner = conversation(agent, folder, by_lancet)
        status, printed = agent.run(model, home, folder.path, agent.prepared(inner) if by_lancet else inner, prompt=PROMPT)
        agent.flags = flags
        checks.that(model.finished and model.failure is None, way + "the conversation runs to its end",
                    "%s\nexit status %s\n%s" % (model.failure, status, printed[-1500:]))
        after, repository = tree(folder.path), tree(folder.path / ".git")
        checks.that(before != after and "run" in after and "old/picture.bin" not in after, way + "the agent changes the tree", printed[-1500:])
        logged = check_log(lancet, agent, home, folder, checks)
        if not by_lancet:
            # Not every run of an agent lasts until the last event has arrived.
            # Copilot CLI names no event, so the field of its last one is left out by its name.
            events = {name: " ".join(key for key in keys.split() if name or key != "reason")
                      for name, keys in tap.events().items() if name != "SessionEnd"}
            facts = {"events": events, **logged}
        undone = hooks.shell(lancet, home, folder, "undo", "--to-prompt", "--yes")
        checks.that(undone.returncode == 0, way + "lancet undo --to-prompt", undone.stdout + undone.stderr)
        checks.same(differences(tree(folder.path), before), [], way + "going back to the prompt gives every file, mode and link back")
        checks.same(differences(tree(folder.path / ".git"), repository), [], way + "going back leaves .git alone")
        redone = hooks.shell(lancet, home, folder, "redo", "--yes")
        checks.that(redone.returncode == 0, way + "lancet redo", redone.stdout + redone.stderr)
        checks.same(differences(tree(folder.path), after), [], way + "redo brings everything forward again")
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return facts


def attempt(lancet, agent):
    """Drives one agent both ways; its checks, what was seen of it, and the seconds it took."""
    checks, began, model = cases.Checks(agent.title + agent.variant), time.monotonic(), Model()
    facts = {"version": agent.version()}
    try:
        facts.update(drive_once(lancet, agent, model, checks, by_lancet=False))
        drive_once(lancet, agent, model, checks, by_lancet=True)
    except Exception as error:  # noqa: BLE001  One agent that cannot be driven leaves the others to be tried.
        checks.that(False, "it can be driven", repr(error))
    model.close()
    return checks, facts, time.monotonic() - began


for kind in AGENTS:
    kind.variant = ", its own tools"

if __name__ == "__main__":
    sys.exit(drive.main(AGENTS, attempt, __doc__))
