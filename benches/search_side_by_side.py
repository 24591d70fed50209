#!/usr/bin/env python3
"""lancet's Grep and Glob over MCP beside the `rg` process and the npm reference server, in one run (Linux, Python 3.11).

Trees are given as arguments: folders with real sources, the larger the better (Debian's linux-source package unpacked, the
cargo registry's sources). What the figures mean: benches/README.md, "Search".
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PROTOCOL = "2025-06-18"
REFERENCE = "@modelcontextprotocol/server-filesystem"

# Name, arguments of Grep, arguments of rg for the same question.
QUESTIONS = [
    ("absent literal", {"pattern": "zqxjk_absent_word"}, ["-c", "zqxjk_absent_word"]),
    ("rare literal", {"pattern": "deadbeef", "output_mode": "content"}, ["-n", "deadbeef"]),
    ("common literal", {"pattern": "return", "output_mode": "content"}, ["-n", "return"]),
    ("alternation", {"pattern": "mutex_lock|spin_lock|RwLock", "output_mode": "content"}, ["-n", "mutex_lock|spin_lock|RwLock"]),
    ("fn \\w+_test", {"pattern": "fn \\w+_test", "output_mode": "content"}, ["-n", "fn \\w+_test"]),
    ("-i literal", {"pattern": "semaphore", "-i": True, "output_mode": "content"}, ["-n", "-i", "semaphore"]),
    ("word", {"pattern": "\\bwrite\\b", "output_mode": "content"}, ["-n", "\\bwrite\\b"]),
    ("multiline", {"pattern": "struct \\w+ \\{\\n\\s+int", "multiline": True}, ["-U", "--multiline-dotall", "-c", "struct \\w+ \\{\\n\\s+int"]),
    ("count", {"pattern": "unsigned", "output_mode": "count"}, ["-c", "unsigned"]),
    ("files", {"pattern": "include", "output_mode": "files_with_matches"}, ["-l", "include"]),
    ("-C3", {"pattern": "deadlock", "-C": 3, "output_mode": "content"}, ["-n", "-C3", "deadlock"]),
]
GLOBS = ["**/*.rs", "*.c", "**/Makefile", "**/*.{h,toml}"]


class Server:
    """One server process, spoken to over its standard input and output."""

    def __init__(self, command, cwd):
        home = tempfile.mkdtemp(prefix="lancet-bench-")
        environment = dict(os.environ, HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=cwd, env=environment)
        self.id = 0
        self.request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.id += 1
        self.send({"id": self.id, "method": method, "params": params})
        return self.answer(self.id)

    def answer(self, wanted):
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("the server ended")
            answer = json.loads(line)
            if answer.get("id") == wanted and "method" not in answer:
                return answer
            if "method" in answer and "id" in answer:
                self.send({"id": answer["id"], "error": {"code": -32601, "message": "not here"}})

    def call(self, tool, arguments):
        began = time.perf_counter()
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        return (time.perf_counter() - began) * 1e3, answer

    def memory(self, field="VmRSS"):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
        return 0.0

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def timed(command, cwd):
    began = time.perf_counter()
    subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return (time.perf_counter() - began) * 1e3


def compare(tree, lancet, rg, runs):
    """One table of a tree; the ratios of the medians, lancet to rg."""
    server = Server([lancet, "mcp", "--root", str(tree), "--state-dir", tempfile.mkdtemp(prefix="lancet-bench-")], tree)
    idle = server.memory()
    ratios = []
    print(f"\n### {tree}\n\n| question | lancet, median ms (least) | rg, median ms (least) | ratio |\n|---|---|---|---|")
    rows = [(name, lambda a=arguments: server.call("Grep", a)[0], lambda f=flags: timed([rg, "--no-config", "--no-require-git", *f], tree)) for name, arguments, flags in QUESTIONS]
    rows += [(f"Glob {glob}", lambda g=glob: server.call("Glob", {"pattern": g})[0], lambda g=glob: timed([rg, "--no-config", "--no-require-git", "--files", "-g", g], tree)) for glob in GLOBS]
    for name, ours, theirs in rows:
        ours(), theirs()
        pairs = [(ours(), theirs()) for _ in range(runs)]
        mine, their = [a for a, _ in pairs], [b for _, b in pairs]
        ratio = statistics.median(mine) / statistics.median(their)
        ratios.append((name, ratio))
        print(f"| {name} | {statistics.median(mine):.0f} ({min(mine):.0f}) | {statistics.median(their):.0f} ({min(their):.0f}) | {ratio:.2f} |", flush=True)
    grep = statistics.median(ratio for name, ratio in ratios if not name.startswith("Glob"))
    glob = statistics.median(ratio for name, ratio in ratios if name.startswith("Glob"))
    print(f"\nMedian of the ratios: Grep {grep:.2f}, Glob {glob:.2f}. Memory: {idle:.0f} MiB idle, at most {server.memory('VmHWM'):.0f} MiB.", flush=True)
    server.end()
    return grep, glob


def cancel(tree, lancet):
    """Milliseconds from a cancellation to a server whose threads are at rest."""
    server = Server([lancet, "mcp", "--root", str(tree), "--state-dir", tempfile.mkdtemp(prefix="lancet-bench-")], tree)
    times = []
    for number in range(5):
        server.id += 1
        server.send({"id": server.id, "method": "tools/call", "params": {"name": "Grep", "arguments": {"pattern": f"[a-z]+{number}[^x]*y[^x]*z$"}}})
        time.sleep(0.15)
        began = time.perf_counter()
        server.send({"method": "notifications/cancelled", "params": {"requestId": server.id}})
        while threads(server.process.pid) and time.perf_counter() - began < 5:
            time.sleep(0.001)
        times.append((time.perf_counter() - began) * 1e3)
    print(f"\nCancellation: the search's threads were gone after {statistics.median(times):.0f} ms (most {max(times):.0f}).", flush=True)
    server.end()


def threads(process):
    names = []
    for task in Path(f"/proc/{process}/task").iterdir():
        try:
            names.append((task / "comm").read_text().strip())
        except OSError:
            pass
    return any(name == "lancet-search" for name in names)


def large(lancet, rg, runs):
    """A tree of 200,000 files, and a folder of 50,000."""
    with tempfile.TemporaryDirectory(prefix="lancet-large-") as folder:
        for at in range(2000):
            inner = Path(folder, f"p{at % 40}", f"d{at}")
            inner.mkdir(parents=True)
            for name in range(75):
                (inner / f"f{name}.txt").write_text(f"file {at} {name}\nsome text\n")
        wide = Path(folder, "wide")
        wide.mkdir()
        for name in range(50_000):
            (wide / f"w{name}.txt").write_text(f"file {name}\n")
        server = Server([lancet, "mcp", "--root", folder, "--state-dir", tempfile.mkdtemp(prefix="lancet-bench-")], folder)
        idle = server.memory()
        print("\n### 200,000 files, 50,000 of them in one folder\n\n| question | lancet, median ms | rg, median ms |\n|---|---|---|")
        for name, tool, arguments, flags in [
            ("Grep, one hit", "Grep", {"pattern": "file 1999 74"}, ["-l", "file 1999 74"]),
            ("Grep, every file", "Grep", {"pattern": "file"}, ["-l", "file"]),
            ("Glob *.txt", "Glob", {"pattern": "*.txt"}, ["--files", "-g", "*.txt"]),
        ]:
            mine = [server.call(tool, arguments)[0] for _ in range(runs)]
            their = [timed([rg, "--no-config", *flags], folder) for _ in range(runs)]
            print(f"| {name} | {statistics.median(mine):.0f} | {statistics.median(their):.0f} |", flush=True)
        print(f"\nMemory: {idle:.0f} MiB idle, at most {server.memory('VmHWM'):.0f} MiB.", flush=True)
        server.end()


def reference(tree, lancet):
    """search_files of the reference server beside Glob."""
    server = Server(["npx", "-y", REFERENCE, str(tree)], tree)
    watchdog = threading.Timer(600, server.process.kill)
    watchdog.start()
    theirs, _ = server.call("search_files", {"path": str(tree), "pattern": "**/Makefile"})
    watchdog.cancel()
    server.process.kill()
    ours = Server([lancet, "mcp", "--root", str(tree), "--state-dir", tempfile.mkdtemp(prefix="lancet-bench-")], tree)
    ours.call("Glob", {"pattern": "**/Makefile"})
    mine = min(ours.call("Glob", {"pattern": "**/Makefile"})[0] for _ in range(3))
    ours.end()
    print(f"\nReference server, search_files `**/Makefile` in {tree}: {theirs:.0f} ms; lancet's Glob {mine:.0f} ms: {theirs / mine:.0f} times.", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="*", type=Path)
    parser.add_argument("--lancet", default=str(TOP / "target/release/lancet"))
    parser.add_argument("--rg", default=str(TOP / "target/tools/ripgrep-15.2.0/bin/rg"))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--no-reference", action="store_true")
    parser.add_argument("--no-large", action="store_true")
    options = parser.parse_args()
    missed = 0
    for tree in options.trees:
        grep, glob = compare(tree.resolve(), options.lancet, options.rg, options.runs)
        missed += (grep > 1.0) + (glob > 1.0)
        cancel(tree.resolve(), options.lancet)
        if not options.no_reference:
            reference(tree.resolve(), options.lancet)
    if not options.no_large:
        large(options.lancet, options.rg, options.runs)
    print(f"\n{missed} targets missed")
    raise SystemExit(missed)


if __name__ == "__main__":
    main()
