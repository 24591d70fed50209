#!/usr/bin/env python3
"""Records sessions with lancet in a pseudo-terminal and draws each as NAME-light.svg and NAME-dark.svg beside this file.

    docs/session/record.py target/debug/lancet [session | recorded]

A session is played in a temporary project by a shell, with lancet's own output. In the drawing the path of
the temporary project is replaced by SHOWN, so that the picture names no folder of the machine it was made on; nothing else is changed.
`lancet log` is called with --oneline, which shows no dates. Only the standard library of Python 3 is used.
"""
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
import fcntl
from html import escape

HERE = os.path.dirname(os.path.abspath(__file__))
SHOWN = "/home/ada/shop"
COLUMNS, LINES = 96, 200
PROMPT = "$ "
# The prompt as the shell prints it: after an empty line, bold and blue.
PS1 = "\n\x1b[1;34m$\x1b[0m "
# The longest time to wait for the end of one command, in seconds.
PATIENCE = 30

CLIENT = "def fetch(url):\n    return get(url, timeout=10)\n\ndef upload(url, body):\n    return put(url, body, timeout=10)\n"


def nothing(_project, _around):
    """No work is done before the session."""


def agent_at_work(project, around):
    """What an agent does after a prompt with its own tools, whose hooks report it: the events have the form that Claude Code sends."""
    def report(name, **members):
        event = {"session_id": "7d2c", "cwd": project, "hook_event_name": name, **members}
        words = ["lancet", "hook", "claude", "--within", "60000"]
        subprocess.run(words, input=json.dumps(event), text=True, cwd=project, env=around, check=True)

    def shell(script):
        subprocess.run(["sh", "-c", script], cwd=project, env=around, check=True)

    shell("git init -q && git add -A && git -c user.name=Ada -c user.email=ada@example.org commit -qm shop")
    report("UserPromptSubmit", prompt="Call it deadline everywhere, and drop the old scripts.")
    scripts = ("sed -i s/timeout/deadline/ *.py", "rm -r old", "chmod +x deploy.sh && ln -s deploy.sh run")
    for number, script in enumerate(scripts):
        call = {"tool_name": "Bash", "tool_use_id": f"toolu_{number}", "tool_input": {"command": script}}
        report("PreToolUse", **call)
        shell(script)
        report("PostToolUse", **call, tool_response={"stdout": "", "stderr": "", "interrupted": False})


# What each session has: its title, its files, the work before it, what is typed, and the text after which it is typed.
SESSIONS = {
    "session": (
        "A session with lancet: an edit that is refused, the same edit made unique, the log, and the undo",
        {"client.py": CLIENT},
        nothing,
        [
            (PROMPT, "lancet edit client.py --old 'timeout=10' --new 'timeout=30'"),
            ("for none] ", "2"),
            ("?] ", "y"),
            (PROMPT, "lancet log --oneline"),
            (PROMPT, "lancet undo --yes"),
            (PROMPT, "lancet log --oneline"),
        ],
    ),
    "recorded": (
        "What an agent's own shell changed since a prompt: the log lists its commands, and one undo reverts all of them",
        {"client.py": CLIENT, "server.py": "timeout = 10\n", "deploy.sh": "#!/bin/sh\ntrue\n", "old/a.sh": "a\n", "old/b.sh": "b\n"},
        agent_at_work,
        [
            (PROMPT, "git status --short"),
            (PROMPT, "lancet log --oneline"),
            (PROMPT, "lancet undo --to-prompt --yes"),
            (PROMPT, "git status --short"),
        ],
    ),
}

SIZE, ADVANCE, HEIGHT, MARGIN = 13, 7.83, 18, 16
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
THEMES = {
    "light": {"ground": "#ffffff", "frame": "#d1d9e0", "ink": "#1f2328", "dim": "#6e7781", 
              31: "#cf222e", 32: "#116329", 33: "#7d4e00", 34: "#0969da", 35: "#8250df", 36: "#1b7c83"},
    "dark": {"ground": "#0d1117", "frame": "#3d444d", "ink": "#e6edf3", "dim": "#8b949e", 
             31: "#ff7b72", 32: "#3fb950", 33: "#d29922", 34: "#58a6ff", 35: "#bc8cff", 36: "#39c5cf"},
}


class Screen:
    """The cells of a terminal: characters with their style, as far as the output of lancet and a shell needs it."""

    PART = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b\].*?(?:\x07|\x1b\\)|\x1b[=>]|(.)", re.DOTALL)

    def __init__(self):
        self.rows, self.row, self.column, self.style = [[]], 0, 0, Style()

    def feed(self, text):
        for part in self.PART.finditer(text):
            arguments, letter, character = part.groups()
            if letter == "m":
                self.style = self.style.after(arguments)
            elif letter == "K" and arguments in ("", "0"):
                del self.rows[self.row][self.column:]
            elif letter and not arguments.startswith("?"):
                sys.exit(f"record.py: the sequence ESC [ {arguments} {letter} is not drawn; add it to Screen.feed")
            elif character is not None:
                self.put(character)

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            if self.row == len(self.rows):
                self.rows.append([])
        elif character == "\b":
            self.column = max(0, self.column - 1)
        elif character >= " ":
            if self.column == COLUMNS:
                self.put("\r")
                self.put("\n")
            row = self.rows[self.row]
            row.extend([(" ", Style())] * (self.column + 1 - len(row)))
            row[self.column] = (character, self.style)
            self.column += 1


class Style(tuple):
    """The set of SGR numbers in force: bold 1, dim 2, reversed 7, and a colour."""

    def after(self, arguments):
        numbers = [int(number) for number in arguments.split(";") if number] or [0]
        style = set(self)
        for number in numbers:
            if number == 0:
                style = set()
            elif number == 39:
                style = {known for known in style if known < 30}
            elif 30 <= number <= 37 or 90 <= number <= 97:
                style = {known for known in style if known < 30} | {number if number < 90 else number - 60}
            elif number in (1, 2, 7):
                style.add(number)
            else:
                sys.exit(f"record.py: the style {number} is not drawn; add it to Style.after")
        return Style(sorted(style))


def record(lancet, files, before, typed):
    """Plays a session and gives back what the terminal got."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="lancet-"))
    try:
        programs, project = os.path.join(folder, "bin"), os.path.join(folder, "shop")
        os.mkdir(programs)
        os.mkdir(project)
        os.symlink(os.path.abspath(lancet), os.path.join(programs, "lancet"))
        for name, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(project, name)), exist_ok=True)
            with open(os.path.join(project, name), "w", encoding="utf-8") as out:
                out.write(text)
        around = {
            "HOME": folder, "PATH": f"{programs}:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "LANCET_STATE_DIR": os.path.join(folder, "state"), "LANCET_PAGER": "cat", "PS1": PS1, "PS2": "> ",
        }
        before(project, around)
        return play(project, around, typed).replace(project, SHOWN)
    finally:
        shutil.rmtree(folder)


def play(project, around, session):
    """Types a session into a shell, each text once the shell or lancet waits for it."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(project)
        os.execve("/bin/sh", ["sh", "-i"], around)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    shown, since = "", 0
    for awaited, typed in session + [(PROMPT, None)]:
        shown = until(terminal, shown, since, awaited)
        since = len(shown)
        if typed is not None:
            os.write(terminal, f"{typed}\n".encode())
    os.write(terminal, b"exit\n")
    os.close(terminal)
    os.waitpid(child, 0)
    return shown


def until(terminal, shown, since, awaited):
    """Reads on until the output ends in the awaited text."""
    end = time.monotonic() + PATIENCE
    while not bare(shown[since:]).endswith(awaited):
        ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        if not ready:
            sys.exit(f"record.py: {awaited!r} did not come within {PATIENCE} s; so far:\n{shown}")
        shown += os.read(terminal, 65536).decode()
    return shown


def bare(text):
    """A text without escape sequences."""
    return re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", text)


def runs(row):
    """Neighbouring cells of one style, as (column, text, style)."""
    found = []
    for column, (character, style) in enumerate(row):
        if found and found[-1][2] == style:
            found[-1][1] += character
        else:
            found.append([column, character, style])
    return found


def draw(rows, theme, title):
    """The picture of the rows."""
    width, height = round(COLUMNS * ADVANCE + 2 * MARGIN), len(rows) * HEIGHT + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{title}">',
        f"<title>{title}</title>",
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="{theme["ground"]}" stroke="{theme["frame"]}"/>',
        f'<g font-family="{FONT}" font-size="{SIZE}" fill="{theme["ink"]}">',
    ]
    for number, row in enumerate(rows):
        line = MARGIN + number * HEIGHT
        for column, text, style in runs(row):
            colour = next((theme[number] for number in style if number >= 30), theme["dim"] if 2 in style else theme["ink"])
            x, length = MARGIN + column * ADVANCE, len(text) * ADVANCE
            if 7 in style:
                parts.append(f'<rect x="{x:.1f}" y="{line}" width="{length:.1f}" height="{HEIGHT}" fill="{colour}"/>')
                colour = theme["ground"]
            if not text.strip():
                continue
            # The length is given, so that every font keeps the columns. Browsers do not inherit that spaces stay.
            look = ("" if colour == theme["ink"] else f' fill="{colour}"') + (' font-weight="600"' if 1 in style else "")
            parts.append(f'<text xml:space="preserve" x="{x:.1f}" y="{line + 13}" textLength="{length:.1f}"{look}>{escape(text, quote=False)}</text>')
    return "\n".join(parts) + "\n</g>\n</svg>\n"


def main():
    names = sys.argv[2:] or list(SESSIONS)
    if len(sys.argv) < 2 or not os.access(sys.argv[1], os.X_OK) or not set(names) <= set(SESSIONS):
        sys.exit("usage: docs/session/record.py LANCET-PROGRAM [%s]" % " | ".join(SESSIONS))
    for session in names:
        title, files, before, typed = SESSIONS[session]
        screen = Screen()
        screen.feed(record(sys.argv[1], files, before, typed))
        # The first row is the empty line before the first prompt, the last two are the prompt after the session.
        rows = screen.rows[1:-2]
        for name, theme in THEMES.items():
            path = os.path.join(HERE, f"{session}-{name}.svg")
            with open(path, "w", encoding="utf-8") as out:
                out.write(draw(rows, theme, title))
            print(f"{path}: {os.path.getsize(path)} bytes, {len(rows)} lines")


if __name__ == "__main__":
    main()
