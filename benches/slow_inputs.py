#!/usr/bin/env python3
"""Inputs that once took long: what each call costs in time and memory, and what it is answered.

Each case gets a server and a folder of its own. Printed are the CPU time of the server (user and system) and the wall time
of the one call, the most memory that the process had resident during it, and the beginning of the answer. Several binaries
are measured case by case in turn, so that each meets the same machine.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PROTOCOL = "2025-06-18"


class Server:
    def __init__(self, binary, ground, state):
        self.process = subprocess.Popen(
            [binary, "mcp", "--root", ground, "--state-dir", state],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ground,
        )
        self.id = 0
        hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "slow-inputs", "version": "1"}}
        self.request("initialize", hello)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.id += 1
        self.send({"id": self.id, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                return {"error": {"message": "the server ended"}}
            answer = json.loads(line)
            if "method" in answer:
                if "id" in answer:
                    self.send({"id": answer["id"], "error": {"code": -32601, "message": "not here"}})
            elif answer.get("id") == self.id:
                return answer

    def call(self, tool, **arguments):
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer:
            return answer["error"]["message"]
        text = "\n".join(part.get("text", "") for part in answer["result"]["content"])
        kind = answer["result"].get("structuredContent", {}).get("error", {}).get("name")
        return f"{kind}: {text}" if kind else text

    def cpu(self):
        return time.clock_gettime((~self.process.pid << 3) | 2)

    def forget_peak(self):
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def peak(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Case:
    """One input: what makes its files, which calls go before, and the call that is measured."""

    def __init__(self, name, make, call, before=lambda server, ground: None):
        self.name, self.make, self.call, self.before = name, make, call, before


def read_first(name):
    return lambda server, ground: server.call("Read", file_path=str(ground / name))


def revision(binary, ground, state, path):
    """The revision of a file, asked of another server, so that this one has not read it."""
    other = Server(binary, ground, state)
    text = json.dumps(other.request("tools/call", {"name": "Read", "arguments": {"file_path": str(path), "limit": 1}}))
    other.end()
    return re.search(r'"revision": ?"([0-9a-f]+)"', text)[1]


def written(name, content):
    def make(ground):
        path = ground / name
        with open(path, "wb") as file:
            for piece in content() if callable(content) else [content]:
                file.write(piece)

    return make


def zeros(ground):
    with open(ground / "f", "wb") as file:
        file.truncate(20 << 30)


def source(size):
    lines, length = [], 0
    while length < size:
        number = len(lines)
        lines.append(f"    let value_{number} = compute(input[{number}], {number * 7919 % 104_729}); // step {number}\n")
        length += len(lines[-1])
    return "".join(lines).encode()


def edit(old, new="y", name="f", **more):
    return lambda server, ground, extra: server.call(
        "Edit", file_path=str(ground / name), old_string=old, new_string=new, **more, **extra
    )


def multi(edits):
    return lambda server, ground, extra: server.call(
        "MultiEdit", edits=[{"file_path": str(ground / "f"), **extra, **one} for one in edits]
    )


def tool(name, path="f", **arguments):
    return lambda server, ground, extra: server.call(name, **{"path" if name in ("Grep", "Glob") else "file_path": str(ground / path)}, **arguments)


def cases():
    million = 1_000_000
    tens = lambda: [b"x\n" * million] * 10
    twenty = lambda: [b"x\n" * million] * 20
    words = lambda: [source(30 << 20)]
    read = read_first("f")

    def foreign(server, ground):
        server.call("Read", file_path=str(ground / "f"))
        path = ground / "f"
        path.write_bytes(path.read_bytes().replace(b"value", b"other"))

    def foreign_lines(server, ground):
        server.call("Read", file_path=str(ground / "f"))
        (ground / "f").write_bytes(b"".join(b"%d\n" % (n * 7919 % 104_729) for n in range(4 * million)))

    all_of_it = "revision"
    yield Case("Edit `x` in 10 million lines `x`, first page read", written("f", tens), edit("x"), read)
    yield Case("the same, replace_all", written("f", tens), edit("x", replace_all=True), read)
    yield Case("the same, replace_all, never read", written("f", tens), edit("x", replace_all=True))
    yield Case("the same, replace_all, revision named", written("f", tens), edit("x", replace_all=True), all_of_it)
    yield Case("the same, replace_all, longer text", written("f", tens), edit("x", "yyyy", replace_all=True), all_of_it)
    yield Case("the same, replace_all, text deleted", written("f", tens), edit("x", "", replace_all=True), all_of_it)
    yield Case("the same, expect_count 7", written("f", tens), edit("x", replace_all=True, expect_count=7), all_of_it)
    yield Case("the same, dry_run", written("f", tens), edit("x", replace_all=True, dry_run=True), all_of_it)
    yield Case("Edit `x`, unique only by revision", written("f", tens), edit("x"), all_of_it)
    yield Case("MultiEdit, `x` to `y` and `y` to `z` everywhere", written("f", tens),
               multi([{"old_string": "x", "new_string": "y", "replace_all": True}, {"old_string": "y", "new_string": "z", "replace_all": True}]), all_of_it)
    yield Case("MultiEdit, `x` twice, both ambiguous", written("f", tens),
               multi([{"old_string": "x", "new_string": "y"}, {"old_string": "x\n", "new_string": "z"}]), read)
    yield Case("Edit `x` in 20 million lines `x` (40 MB)", written("f", twenty), edit("x"), read)
    yield Case("the same, replace_all (40 MB)", written("f", twenty), edit("x", replace_all=True), read)
    yield Case("the same, replace_all, 900,000 places of 40 MB", written("f", lambda: [b"x" + b"a\n" * 22] * 900_000),
               edit("x", replace_all=True), all_of_it)
    yield Case("the same, ambiguous, 900,000 places of 40 MB", written("f", lambda: [b"x" + b"a\n" * 22] * 900_000), edit("x"), all_of_it)
    yield Case("Read of 20 GiB of NUL", zeros, tool("Read"))
    yield Case("Edit in 20 GiB of NUL", zeros, edit("x"))
    yield Case("Grep in 20 GiB of NUL", zeros, tool("Grep", path="", pattern="x"))
    yield Case("Write over 20 GiB of NUL", zeros, tool("Write", content="x\n"))
    yield Case("Grep `[a-z]{1,5000}b`, 200 kB in a line", written("f", b"a" * 200_000), tool("Grep", path="", pattern="[a-z]{1,5000}b"))
    yield Case("the same, 200 kB in lines of 100", written("f", (b"a" * 99 + b"\n") * 2_000), tool("Grep", path="", pattern="[a-z]{1,5000}b"))
    yield Case("the same, content", written("f", b"a" * 200_000), tool("Grep", path="", pattern="[a-z]{1,5000}b", output_mode="content"))
    yield Case("the same, multiline", written("f", b"a" * 200_000), tool("Grep", path="", pattern="[a-z]{1,5000}b", multiline=True))
    yield Case("Grep `(\\w{1,40}\\s){1,40}!`, 200 kB", written("f", b"word an other\n" * 15_000), tool("Grep", path="", pattern=r"(\w{1,40}\s){1,40}!"))
    yield Case("Grep `(?i)(.{1,60}){1,60}é`, 200 kB", written("f", b"word an other " * 15_000), tool("Grep", path="", pattern=r"(?i)(.{1,60}){1,60}é"))
    yield Case("Grep, 40,000 alternatives", written("f", words), tool("Grep", path="", pattern="|".join(f"word{n}x" for n in range(40_000))))
    yield Case("Read of one line of 30 MB", written("f", b"abc def " * (30 << 17)), tool("Read"))
    yield Case("Edit, ambiguous, in one line of 30 MB", written("f", b"abc def " * (30 << 17)), edit("abc"), all_of_it)
    yield Case("Edit, replace_all, in one line of 30 MB", written("f", b"abc def " * (30 << 17)), edit("abc", replace_all=True), all_of_it)
    yield Case("Edit, not found, in one line of 30 MB", written("f", b"abc def " * (30 << 17)), edit("abc  def xyz"), all_of_it)
    yield Case("Edit, one place, in one line of 30 MB", written("f", b"abc def " * (15 << 17) + b"!" + b"abc def " * (15 << 17)), edit("!"), all_of_it)
    yield Case("Edit of a newline in 10 million empty lines", written("f", b"\n" * 10 * million), edit("\n", "x\n"), read)
    yield Case("the same, two of them, replace_all", written("f", b"\n" * 10 * million), edit("\n\n", "\n", replace_all=True), all_of_it)
    yield Case("Read of line 9,999,999 of them", written("f", b"\n" * 10 * million), tool("Read", offset=9_999_999))
    yield Case("old text of 1 MB of blanks in 30 MB of blanks", written("f", b" " * (30 << 20)), edit(" " * million), all_of_it)
    yield Case("the same, replace_all", written("f", b" " * (30 << 20)), edit(" " * million, replace_all=True), all_of_it)
    yield Case("old text of 1 MB of blank lines, not there", written("f", words), edit(" \n" * (million // 2)), all_of_it)
    yield Case("MultiEdit, 1,000 edits, replace_all, 1 MB", written("f", source(1 << 20)),
               multi([{"old_string": f"value_{n} ", "new_string": f"v{n} ", "replace_all": True} for n in range(1_000)]), all_of_it)
    yield Case("MultiEdit, 1,000 edits, replace_all, 30 MB", written("f", words),
               multi([{"old_string": f"value_{n} ", "new_string": f"v{n} ", "replace_all": True} for n in range(1_000)]), all_of_it)
    yield Case("MultiEdit, 1,000 edits, none found, 1 MB", written("f", source(1 << 20)),
               multi([{"old_string": f"valeu_{n}  ", "new_string": f"v{n} "} for n in range(1_000)]), all_of_it)
    yield Case("MultiEdit, 100 edits of `e` there and back, 1 MB", written("f", source(1 << 20)),
               multi([{"old_string": "eé"[n % 2], "new_string": "ée"[n % 2], "replace_all": True} for n in range(100)]), all_of_it)
    yield Case("Edit, not found, a line like many, 30 MB", written("f", words), edit("    let valeu_7 = compute(input[7], 7); // step 7"), all_of_it)
    yield Case("Edit, not found, 3,000 lines of old text, 30 MB", written("f", words),
               edit(source(250_000).decode().replace("value", "valeu")), all_of_it)
    yield Case("Edit, not found, 1 MB of old text in one line", written("f", words), edit("abc " * (million // 4)), all_of_it)
    yield Case("Edit, not found, quotes and escapes, 30 MB", written("f", lambda: [b"let s = \"it\\\\n's\";\n" * 1_600_000]), edit("let s = “it’s”;\\n &quot;"), all_of_it)
    yield Case("Edit, replace_all, UTF-16 of 30 MB", written("f", ("x\r\n" * 5 * million).encode("utf-16")), edit("x", replace_all=True), all_of_it)
    yield Case("Edit, replace_all, CRLF of 30 MB", written("f", b"x\r\n" * 10 * million), edit("x", replace_all=True), all_of_it)
    yield Case("Edit, ambiguous, CRLF of 30 MB", written("f", b"x\r\n" * 10 * million), edit("x"), all_of_it)
    yield Case("Edit, one place, 30 MB that are half bad UTF-8", written("f", "é".encode() * (7 << 20) + b"\xff" * (7 << 20) + b"!"), edit("!"), all_of_it)
    yield Case("Write of 30 MB over 30 MB that differ in every line", written("f", words),
               lambda server, ground, extra: server.call("Write", file_path=str(ground / "f"),
                                                         content=source(30 << 20).decode().replace("value", "other"), **extra), all_of_it)
    yield Case("Edit, stale, every line of 30 MB changed", written("f", words), edit("value_7 "), foreign)
    yield Case("Edit, stale, 20 MB of short lines in another order",
               written("f", lambda: [b"".join(b"%d\n" % n for n in range(3 * million))]), edit("7"), foreign_lines)
    yield Case("Glob, 20 braces in a row", written("f", b""), tool("Glob", path="", pattern="{a,b}" * 20))
    yield Case("Glob, 30,000 alternatives", written("f", b""), tool("Glob", path="", pattern="{" + ",".join(f"n{n}*" for n in range(30_000)) + "}"))
    yield Case("Glob, 200,000 braces in a row", written("f", b""), tool("Glob", path="", pattern="{a}" * 200_000))
    yield Case("Glob, 300,000 alternatives", written("f", b""), tool("Glob", path="", pattern="{" + ",".join(f"n{n}*" for n in range(300_000)) + "}"))
    yield Case("Grep `a?` 50,000 times, 50 kB", written("f", b"a" * 50_000), tool("Grep", path="", pattern="a?" * 50_000))
    yield Case("Glob, 200 stars", written("a" * 200, b""), tool("Glob", path="", pattern="*a" * 200 + "b"))
    yield Case("Grep, glob of 30,000 alternatives", written("f", b""),
               tool("Grep", path="", pattern="x", glob="{" + ",".join(f"n{n}*" for n in range(30_000)) + "}"))


def measure(case, binary, folder, limit):
    shutil.rmtree(folder, ignore_errors=True)
    ground, state = folder / "ground", folder / "state"
    ground.mkdir(parents=True)
    case.make(ground)
    extra = {}
    if case.before == "revision":
        extra["revision"] = revision(binary, ground, folder / "other", ground / "f")
    server = Server(binary, ground, state)
    watchdog = threading.Timer(limit, server.process.kill)
    watchdog.start()
    try:
        if callable(case.before):
            case.before(server, ground)
        server.forget_peak()
        cpu, began = server.cpu(), time.perf_counter()
        answer = case.call(server, ground, extra)
        wall = time.perf_counter() - began
        if server.process.poll() is not None or answer == "the server ended":
            return {"cpu": limit, "wall": wall, "peak": 0, "answer": f"ended after {wall:.0f} s"}
        return {"cpu": server.cpu() - cpu, "wall": wall, "peak": server.peak(), "answer": answer.replace(str(ground) + "/", "")}
    except BrokenPipeError:
        return {"cpu": limit, "wall": limit, "peak": 0, "answer": "the server ended"}
    finally:
        watchdog.cancel()
        server.end()
        shutil.rmtree(folder, ignore_errors=True)


def shown(answer, width):
    return re.sub(r"\s+", " ", answer)[:width].replace("|", "\\|")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="*", type=Path, default=[TOP / "target/release/lancet"])
    parser.add_argument("--only", default="", help="cases whose name holds this (a regular expression)")
    parser.add_argument("--limit", type=float, default=120, help="seconds after which a server is ended")
    parser.add_argument("--width", type=int, default=70, help="characters of an answer that are printed")
    parser.add_argument("--folder", type=Path, default=TOP / "target" / "slow-inputs", help="where the files are made")
    options = parser.parse_args()
    binaries = [path.resolve() for path in options.binary]
    columns = "".join("| CPU s | wall s | MiB " for _ in binaries)
    print(f"| input {columns}| answer |\n|---{'|---' * 3 * len(binaries)}|---|", flush=True)
    for case in cases():
        if not re.search(options.only, case.name):
            continue
        rows = [measure(case, binary, options.folder, options.limit) for binary in binaries]
        figures = "".join(f"| {row['cpu']:.2f} | {row['wall']:.2f} | {row['peak']:.0f} " for row in rows)
        answers = list(dict.fromkeys(shown(row["answer"], options.width) for row in rows))
        print(f"| {case.name} {figures}| {' → '.join(answers)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
