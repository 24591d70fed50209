#!/usr/bin/env python3
"""Drives the Neovim plugin: a headless Neovim by its own RPC, the built lancet, and an agent over MCP.

    run.py BINARY [PART-OF-A-NAME]

Exit status 0 when all holds; the last line is `N passed, N failed`. Needs Debian's package `neovim` (or the path of an nvim in
LANCET_NVIM), and nothing else.
"""
import contextlib
import json
import os
import pathlib
import queue
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback

PLUGIN = pathlib.Path(__file__).resolve().parent.parent
# What does not happen within this time has failed.
SECONDS = 20


def eventually(what, look):
    """Looks until something is the case, and gives it."""
    end = time.monotonic() + SECONDS
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {SECONDS} s: {what() if callable(what) else what}")
        time.sleep(0.02)


def pack(value):
    """A value as MessagePack, as far as requests need it."""
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return struct.pack(">Bq", 0xD3, value)
    if isinstance(value, str):
        data = value.encode()
        return struct.pack(">BI", 0xDB, len(data)) + data
    if isinstance(value, (list, tuple)):
        return struct.pack(">BI", 0xDD, len(value)) + b"".join(map(pack, value))
    return struct.pack(">BI", 0xDF, len(value)) + b"".join(pack(part) for item in value.items() for part in item)


def unpack(read):
    """Reads one value of MessagePack; `read` gives so many bytes."""
    kind = read(1)[0]
    number = lambda form: struct.unpack(">" + form, read(struct.calcsize(form)))[0]
    text = lambda size: read(size).decode(errors="replace")
    array = lambda size: [unpack(read) for _ in range(size)]
    table = lambda size: {unpack(read): unpack(read) for _ in range(size)}
    if kind < 0x80:
        return kind
    if kind < 0x90:
        return table(kind & 0xF)
    if kind < 0xA0:
        return array(kind & 0xF)
    if kind < 0xC0:
        return text(kind & 0x1F)
    if kind >= 0xE0:
        return kind - 0x100
    plain = {0xC0: None, 0xC2: False, 0xC3: True}
    if kind in plain:
        return plain[kind]
    numbers = {0xCA: "f", 0xCB: "d", 0xCC: "B", 0xCD: "H", 0xCE: "I", 0xCF: "Q", 0xD0: "b", 0xD1: "h", 0xD2: "i", 0xD3: "q"}
    if kind in numbers:
        return number(numbers[kind])
    if 0xD4 <= kind <= 0xD8:  # handles of buffers and windows
        return read(1 + (1 << (kind - 0xD4)))[1:]
    if 0xC7 <= kind <= 0xC9:
        return read(1 + number("BHI"[kind - 0xC7]))[1:]
    sized = {0xC4: (read, "B"), 0xC5: (read, "H"), 0xC6: (read, "I"), 0xD9: (text, "B"), 0xDA: (text, "H"), 0xDB: (text, "I"),
             0xDC: (array, "H"), 0xDD: (array, "I"), 0xDE: (table, "H"), 0xDF: (table, "I")}
    make, form = sized[kind]
    return make(number(form))


class Neovim:
    """A headless Neovim with the plugin, and its RPC."""

    def __init__(self, stage):
        address = str(stage.folder / "nvim.sock")
        setup = f'require("lancet").setup({{ command = {{ {json.dumps(str(stage.binary))} }} }})'
        program = os.environ.get("LANCET_NVIM", "nvim")
        # What is notified is kept for the test to read.
        keep = "_G.told = {}; vim.notify = function(text) table.insert(_G.told, text) end"
        command = [program, "--clean", "--headless", "--listen", address,
                   "--cmd", f"set runtimepath^={PLUGIN}", "-c", f"lua {keep}", "-c", f"lua {setup}"]
        self.process = subprocess.Popen(command, cwd=stage.project, env=stage.environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually("Neovim listens", lambda: os.path.exists(address))
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        self.socket.connect(address)
        self.stream = self.socket.makefile("rb")
        self.number = 0
        eventually("the link is there", lambda: self.lua('return require("lancet").status().linked'))

    def request(self, method, *arguments):
        self.number += 1
        self.socket.sendall(pack([0, self.number, method, arguments]))
        while True:
            message = unpack(self.stream.read)
            if message[0] == 1 and message[1] == self.number:
                if message[2] is not None:
                    raise AssertionError(f"{method}: {message[2]}")
                return message[3]

    def lua(self, code, *arguments):
        return self.request("nvim_exec_lua", code, arguments)

    def command(self, line):
        self.request("nvim_command", line)

    def lines(self):
        return self.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")

    def name(self):
        return self.lua("return vim.api.nvim_buf_get_name(0)")

    def told(self, part):
        """Waits for a notice with this part."""
        return eventually(lambda: f"a notice with {part!r}; there are {self.lua('return _G.told')}",
                          lambda: next((text for text in self.lua("return _G.told") if part in text), None))

    def type(self, keys):
        self.request("nvim_input", keys)

    def terminal(self, part):
        """Waits until the terminal shows a part."""
        shows = lambda: part in "\n".join(self.lines()) and self.lines()
        return eventually(lambda: f"the terminal shows {part!r}; it shows {self.lines()}", shows)

    def end(self):
        self.process.kill()
        self.process.wait()


class Agent:
    """An agent that speaks MCP with `lancet mcp`; its calls are made on threads, since they wait for a person."""

    def __init__(self, stage, *arguments):
        self.process = subprocess.Popen([stage.binary, "mcp", *arguments], cwd=stage.project, env=stage.environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.number = 0
        self.answers = {}
        threading.Thread(target=self.listen, daemon=True).start()
        self.request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "some-agent", "version": "1"}).get(timeout=SECONDS)
        self.send({"method": "notifications/initialized"})

    def listen(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") in self.answers:
                self.answers[message["id"]].put(message)

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method, **parameters):
        self.number += 1
        answer = self.answers[self.number] = queue.Queue()
        self.send({"id": self.number, "method": method, "params": parameters})
        return answer

    def begin(self, tool, **arguments):
        """Begins a call; the queue gets its answer."""
        return self.request("tools/call", name=tool, arguments={key: str(value) if isinstance(value, pathlib.Path) else value for key, value in arguments.items()})

    def call(self, tool, **arguments):
        return answer(self.begin(tool, **arguments))

    def end(self):
        self.process.kill()
        self.process.wait()


def answer(begun):
    result = begun.get(timeout=SECONDS)["result"]
    return result.get("isError", False), "\n".join(part.get("text", "") for part in result["content"])


class Stage:
    """A project, a home of its own and what runs in them."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.project, self.home = folder / "project", folder / "home"
        for made in (self.project / ".git", self.home):
            made.mkdir(parents=True)
        keep = ("PATH", "LANG", "LC_ALL", "TMPDIR")
        self.environment = {name: os.environ[name] for name in keep if name in os.environ}
        self.environment.update(HOME=str(self.home), USER="tester", TERM="xterm")
        self.started = []

    def neovim(self):
        self.started.append(Neovim(self))
        return self.started[-1]

    def agent(self, *arguments):
        self.started.append(Agent(self, *arguments))
        return self.started[-1]

    def file(self, name, text):
        path = self.project / name
        path.write_text(text)
        return path

    def lancet(self, *arguments):
        return subprocess.run([self.binary, *arguments], cwd=self.project, env=self.environment, text=True, capture_output=True, check=True).stdout

    def waiting(self):
        objects = [json.loads(line) for line in self.lancet("pending", "--json").splitlines()]
        return [one for one in objects if "question" in one]

    def end(self):
        for one in self.started:
            one.end()


LINES = "".join(f"line {number}.\n" for number in range(1, 41))


def changed(text, *numbers):
    for number in numbers:
        text = text.replace(f"line {number}.", f"LINE {number}.")
    return text


def three_edits(agent, file):
    agent.call("Read", file_path=file)
    edits = [{"old_string": f"line {number}.\n", "new_string": f"LINE {number}.\n"} for number in (5, 20, 35)]
    return agent.begin("MultiEdit", file_path=file, edits=edits)


def a_change_is_told_shown_and_reloaded(stage):
    file = stage.file("a.txt", LINES)
    editor, agent = stage.neovim(), stage.agent("--mode", "accept-edits")
    editor.command(f"edit {file}")
    failed, text = answer(three_edits(agent, file))
    assert not failed, text
    notice = editor.told("update a.txt")
    assert "some-agent" in notice and "+3 -3" in notice, notice
    # The buffer without its own changes shows what is in the file.
    eventually("the buffer is loaded again", lambda: "LINE 20." in editor.lines())
    assert not editor.lua("return vim.bo.modified or vim.bo.autoread ~= vim.go.autoread")
    editor.command("Lancet diff")
    eventually("the diff is shown", lambda: "lancet://change/" in editor.name())
    lines = editor.lines()
    assert editor.lua("return vim.bo.filetype") == "diff" and "+LINE 20." in lines, lines
    at = lines.index("+LINE 20.")
    editor.command(str(at + 1))
    editor.command("Lancet jump")
    eventually("the file is shown", lambda: editor.name() == str(file))
    assert editor.lua("return vim.fn.getline('.')") == "LINE 20."
    # Before and after, side by side.
    editor.command("Lancet! diff")
    eventually("both sides are shown", lambda: editor.lua("return #vim.api.nvim_tabpage_list_wins(0)") == 2 and editor.lua("return vim.wo.diff"))
    assert "".join(line + "\n" for line in editor.lines()) == changed(LINES, 5, 20, 35)
    editor.command("wincmd p")
    assert "".join(line + "\n" for line in editor.lines()) == LINES


def one_hunk_of_a_waiting_change_is_approved(stage):
    file = stage.file("a.txt", LINES)
    editor, agent = stage.neovim(), stage.agent("--mode", "ask")
    call = three_edits(agent, file)
    editor.told("some-agent waits")
    editor.command("Lancet pending")
    item = eventually("the list", lambda: editor.lua("return vim.fn.getqflist()"))[0]
    assert item["lnum"] == 2 and "MultiEdit" in item["text"], item
    # The question of the line under the cursor.
    editor.command("Lancet diff")
    eventually("the question is shown", lambda: "lancet://question/" in editor.name())
    lines = editor.lines()
    assert [line for line in lines if line.startswith("@@")][1].endswith("hunk 2"), lines
    editor.command(str(lines.index("+LINE 20.") + 1))
    editor.command("Lancet approve .")
    shown = editor.terminal("Approve this?")
    assert any("LINE 20." in line for line in shown) and not any("LINE 35." in line for line in shown), shown
    assert file.read_text() == LINES, "nothing is written before the answer"
    editor.type("y<CR>")
    failed, text = answer(call)
    assert not failed and "a person left this out" in text, text
    assert file.read_text() == changed(LINES, 20)


def a_change_is_rejected_with_words(stage):
    file = stage.file("a.txt", LINES)
    editor, agent = stage.neovim(), stage.agent("--mode", "ask")
    call = three_edits(agent, file)
    editor.told("some-agent waits")
    assert editor.lua('return vim.fn.getcompletion("Lancet rej", "cmdline")') == ["reject"]
    waits = stage.waiting()[0]
    assert editor.lua('return vim.fn.getcompletion("Lancet reject ", "cmdline")') == [waits["short"]]
    editor.command("Lancet reject -- not like this")
    failed, text = answer(call)
    assert failed and "not like this" in text, text
    assert file.read_text() == LINES
    eventually("nothing waits", lambda: editor.lua('return require("lancet").status().waiting') == 0)


def an_unsaved_buffer_is_asked_about(stage):
    file = stage.file("a.txt", LINES)
    editor, agent = stage.neovim(), stage.agent("--mode", "accept-edits")
    editor.command(f"edit {file}")
    editor.type("oa line of mine<Esc>")
    unsaved = stage.home / ".local/state/lancet/unsaved"
    eventually("lancet knows of it", unsaved.exists)
    call = three_edits(agent, file)
    notice = editor.told("some-agent waits")
    assert "a.txt is unsaved in nvim" in notice, notice
    assert file.read_text() == LINES and "a line of mine" in editor.lines()
    editor.command("Lancet reject let me save it first")
    failed, text = answer(call)
    assert failed and "let me save it first" in text, text
    # Once it is saved the agent is not asked about it any more, and the person's line stays.
    editor.command("write")
    eventually("lancet knows that it is saved", lambda: not unsaved.exists())
    failed, text = answer(three_edits(agent, file))
    assert not failed, text
    assert "a line of mine\n" in file.read_text()
    # An editor that is killed leaves nothing behind.
    eventually("the buffer is loaded again", lambda: "LINE 20." in editor.lines())
    editor.type("oanother line<Esc>")
    eventually("lancet knows of it", unsaved.exists)
    editor.end()
    eventually("lancet knows that it is gone", lambda: not unsaved.exists())
    failed, text = agent.call("Edit", file_path=file, old_string="line 1.", new_string="LINE 1.")
    assert not failed, text


def one_hunk_is_taken_back(stage):
    file = stage.file("a.txt", LINES)
    editor, agent = stage.neovim(), stage.agent("--mode", "accept-edits")
    answer(three_edits(agent, file))
    editor.told("update a.txt")
    editor.command("Lancet diff")
    eventually("the diff is shown", lambda: "lancet://change/" in editor.name())
    editor.command(str(editor.lines().index("+LINE 20.") + 1))
    # Not while the buffer of the file has changes of its own.
    editor.lua("local buffer = vim.fn.bufadd(...); vim.fn.bufload(buffer); vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { 'mine' })", str(file))
    editor.command("Lancet hunk")
    editor.told("a.txt has unsaved changes")
    assert file.read_text() == changed(LINES, 5, 20, 35)
    editor.lua("vim.bo[vim.fn.bufnr(...)].modified = false", str(file))
    editor.command("Lancet hunk")
    editor.told("hunk 2 of")
    assert file.read_text() == changed(LINES, 5, 35)
    # The rest of it, with the question at the terminal.
    editor.command("Lancet undo")
    editor.terminal("[y")
    editor.type("y<CR>")
    eventually("it is taken back", lambda: file.read_text() == LINES)
    editor.command("Lancet log")
    items = eventually("the log", lambda: editor.lua("return vim.fn.getqflist()"))
    assert len(items) == 3 and any("MultiEdit" in item["text"] for item in items), items


def a_program_that_is_missing_is_told(stage):
    editor = stage.neovim()
    editor.command("Lancet stop")
    editor.lua('require("lancet").setup({ command = "/no/such/lancet" })')
    editor.told("/no/such/lancet")
    editor.command("Lancet pending")
    assert editor.lua("return #_G.told") == 2, editor.lua("return _G.told")
    assert not editor.lua('return require("lancet").status().linked')


CASES = [a_change_is_told_shown_and_reloaded, one_hunk_of_a_waiting_change_is_approved, a_change_is_rejected_with_words,
         an_unsaved_buffer_is_asked_about, one_hunk_is_taken_back, a_program_that_is_missing_is_told]


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: run.py BINARY [PART-OF-A-NAME]")
    binary, part = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else ""
    if not shutil.which(os.environ.get("LANCET_NVIM", "nvim")):
        sys.exit("there is no nvim: install Debian's package neovim, or set LANCET_NVIM")
    passed = failed = 0
    for case in CASES:
        name = case.__name__.replace("_", " ")
        if part not in name:
            continue
        with tempfile.TemporaryDirectory() as folder, contextlib.closing(contextlib.ExitStack()) as after:
            stage = Stage(binary, pathlib.Path(folder).resolve())
            after.callback(stage.end)
            try:
                case(stage)
                passed += 1
                print(f"ok      {name}")
            except Exception:
                failed += 1
                print(f"FAILED  {name}\n{traceback.format_exc()}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
