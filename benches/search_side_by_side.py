#!/usr/bin/env python3
"""lancet's Grep and Glob over MCP beside the `rg` process and the npm reference server, in one run (Linux, Python 3.11, no packages).

Trees are given as arguments: folders with real sources, the larger the better. Without any, the sources of Debian's
linux-source package (fetched into target/ with apt-get, once) and of the cargo registry are taken. What the figures mean and
what they must reach: benches/README.md, "Search". `--quick` is to see that the script works.
"""

import argparse
import contextlib
import json
import os
import select
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PROTOCOL = "2025-06-18"
REFERENCE = "@modelcontextprotocol/server-filesystem"
LINUX = "linux-source-6.1"

# What must be reached.
MOST_RATIO = 1.0
LEAST_TIMES = 20
MOST_MEMORY = 64
MOST_CANCEL = 50

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

missed = []


def hold(name, held):
    """Takes note of a target that is missed."""
    if not held:
        missed.append(name)
    return "" if held else ": **missed**"


class Server:
    """One server process, spoken to over its standard input and output."""

    def __init__(self, command, cwd):
        self.home = tempfile.mkdtemp(prefix="lancet-bench-")
        environment = dict(os.environ, HOME=self.home, XDG_STATE_HOME=self.home, XDG_CONFIG_HOME=self.home)
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=cwd, env=environment
        )
        self.id = 0
        self.rest = b""
        self.request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def begin(self, tool, arguments):
        self.id += 1
        self.send({"id": self.id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        return self.id

    def request(self, method, params, patience=120):
        self.id += 1
        self.send({"id": self.id, "method": method, "params": params})
        return self.answer(self.id, patience)

    def line(self, end):
        """The next line, as long as there is time."""
        while b"\n" not in self.rest:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("no answer")
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                raise SystemExit("the server ended")
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def answer(self, wanted, patience=120):
        end = time.monotonic() + patience
        while True:
            answer = json.loads(self.line(end))
            if answer.get("id") == wanted and "method" not in answer:
                return answer
            if "method" in answer and "id" in answer:
                self.send({"id": answer["id"], "error": {"code": -32601, "message": "not here"}})

    def call(self, tool, arguments, patience=120):
        began = time.perf_counter()
        answer = self.request("tools/call", {"name": tool, "arguments": arguments}, patience)
        return (time.perf_counter() - began) * 1e3, answer

    def memory(self, field="VmRSS"):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
        return 0.0

    def searching(self):
        """Whether threads of a search are there."""
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                if (task / "comm").read_text().strip() == "lancet-search":
                    return True
        return False

    def ticks(self):
        """Processor time that the process took, in hundredths of a second."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def end(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.home, ignore_errors=True)


@contextlib.contextmanager
def serving(lancet, tree):
    with tempfile.TemporaryDirectory(prefix="lancet-bench-") as state:
        server = Server([lancet, "mcp", "--root", str(tree), "--state-dir", state, "--data", "full"], tree)
        try:
            yield server
        finally:
            server.end()


def result(answer):
    return answer["result"]["_meta"]["lancet/result"]


def timed(command, cwd):
    """Milliseconds of a process; one that does not end within a minute is ended."""
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    # Not by wait's own timeout, which looks every 50 ms only.
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    process.wait()
    taken = (time.perf_counter() - began) * 1e3
    watchdog.cancel()
    return taken


def compare(tree, lancet, rg, runs):
    """One table of a tree; the ratios of the medians, lancet to rg."""
    rg = [rg, "--no-config", "--no-require-git"]
    ratios = []
    with serving(lancet, tree) as server:
        idle = server.memory()
        rows = [(name, "Grep", arguments, rg + flags) for name, arguments, flags in QUESTIONS]
        rows += [(f"Glob {glob}", "Glob", {"pattern": glob}, [*rg, "--files", "-g", glob]) for glob in GLOBS]
        print(f"\n### {tree}\n\n| question | lancet, median ms (least) | rg, median ms (least) | ratio |\n|---|---|---|---|")
        for name, tool, arguments, command in rows:
            server.call(tool, arguments), timed(command, tree)
            pairs = [(server.call(tool, arguments)[0], timed(command, tree)) for _ in range(runs)]
            mine, their = [a for a, _ in pairs], [b for _, b in pairs]
            ratio = statistics.median(mine) / statistics.median(their)
            ratios.append((name, ratio))
            print(
                f"| {name} | {statistics.median(mine):.0f} ({min(mine):.0f}) | {statistics.median(their):.0f} ({min(their):.0f}) | {ratio:.2f} |",
                flush=True,
            )
        most = server.memory("VmHWM")
    for tool in ("Grep", "Glob"):
        middle = statistics.median(ratio for name, ratio in ratios if name.startswith("Glob") == (tool == "Glob"))
        print(f"\n{tool}: median of the ratios {middle:.2f}{hold(f'{tool} in {tree.name}', middle <= MOST_RATIO)}")
    remember(f"the questions above, {tree.name}", idle, most)


def remember(name, idle, most):
    over = most - idle
    print(f"\nMemory, {name}: {idle:.0f} MiB idle, at most {over:.0f} MiB over it{hold(f'memory: {name}', over <= MOST_MEMORY)}", flush=True)


def reference(tree, lancet, patience):
    """search_files of the reference server beside Glob."""
    folder = TOP / "target" / "reference-server"
    program = folder / "node_modules" / REFERENCE / "dist/index.js"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--prefix", str(folder), REFERENCE], check=True)
    server = Server(["node", str(program), str(tree)], tree)
    try:
        theirs, _ = server.call("search_files", {"path": str(tree), "pattern": "**/Makefile"}, patience)
        least = ""
    except TimeoutError:
        theirs, least = patience * 1e3, "at least "
    finally:
        server.process.kill()
    with serving(lancet, tree) as ours:
        ours.call("Glob", {"pattern": "**/Makefile"})
        mine = min(ours.call("Glob", {"pattern": "**/Makefile"})[0] for _ in range(3))
    times = theirs / mine
    print(
        f"\nReference server, `search_files` `**/Makefile` in {tree.name}: {least}{theirs:.0f} ms; Glob {mine:.0f} ms: "
        f"{least}{times:.0f} times{hold('reference server', times >= LEAST_TIMES)}",
        flush=True,
    )


def made(folder, share):
    """A tree of 200,000 files, 50,000 of them in one folder; one large file; a million matches."""
    tree, wide, huge, many = (Path(folder, name) for name in ("tree", "wide", "huge", "many"))
    for at in range(2000 // share):
        inner = tree / f"p{at % 40}" / f"d{at}"
        inner.mkdir(parents=True)
        for name in range(75):
            (inner / f"f{name}.txt").write_text(f"file {at} {name}\nsome text\n")
    for parent in (tree / "wide", wide):
        parent.mkdir(parents=True)
        for name in range(50_000 // share):
            (parent / f"w{name}.txt").write_text(f"file {name}\n")
    huge.mkdir()
    (huge / "large.txt").write_text("some words and a größer number of 12345 others\n" * (30 * 1024 * 1024 // share // 49))
    (huge / "line.txt").write_text("some words and a größer number of 12345 others; " * (30 * 1024 * 1024 // share // 50))
    many.mkdir()
    for name in range(10):
        (many / f"m{name}.txt").write_text("a needle\n" * (100_000 // share))
    return tree, wide, huge, many


# Questions that are cancelled: ground, tool, arguments. None of them ends soon by itself.
CANCELLED = [
    ("tree", "Grep", {"pattern": "[a-z]+ [0-9]+[^x]*zqx$"}),
    ("tree", "Glob", {"pattern": "**/*.zqx"}),
    ("wide", "Grep", {"pattern": "[a-z]+ [0-9]+[^x]*zqx$"}),
    ("wide", "Glob", {"pattern": "*.txt"}),
    ("huge", "Grep", {"pattern": "\\bs\\w+\\b(?:\\s+\\w+){3,40}\\s+\\w*zqx\\b", "multiline": True}),
    ("huge", "Grep", {"pattern": "(?:[a-z]+ .*){4}zqx", "multiline": True}),
    ("huge", "Grep", {"pattern": "\\b\\w+\\s\\w+zqx\\b"}),
    ("huge", "Grep", {"pattern": "\\s", "multiline": True, "output_mode": "content", "offset": 1_000_000}),
]


def cancel(grounds, lancet, runs):
    """Milliseconds from a cancellation to a server that does nothing more."""
    print("\n### Cancellation, ms until the server is at rest\n\n| ground | question | after ms | median | most |\n|---|---|---|---|---|")
    for ground, tool, arguments in CANCELLED:
        # A short time into the work, and a longer one.
        for after in (0.03, 0.15):
            times, ended = [], 0
            with serving(lancet, grounds[ground]) as server:
                for _ in range(runs):
                    number = server.begin(tool, arguments)
                    time.sleep(after)
                    if select.select([server.process.stdout], [], [], 0)[0]:
                        ended += 1
                        server.answer(number)
                        continue
                    server.send({"method": "notifications/cancelled", "params": {"requestId": number}})
                    times.append(until_rest(server))
            words = f"{tool} {json.dumps(arguments)[:60]}".replace("|", "\\|")
            if not times:
                print(f"| {ground} | `{words}` | {after * 1e3:.0f} | answered before | |", flush=True)
                continue
            word = hold(f"cancellation: {ground} {words}", statistics.median(times) <= MOST_CANCEL)
            print(f"| {ground} | `{words}` | {after * 1e3:.0f} | {statistics.median(times):.0f}{word} | {max(times):.0f} |", flush=True)


def until_rest(server):
    """Until the threads of the search are gone and the thread of the call sleeps."""
    began = time.perf_counter()
    while time.perf_counter() - began < 10:
        if not server.searching() and not at_work(server):
            break
        time.sleep(0.0005)
    return (time.perf_counter() - began) * 1e3


def at_work(server):
    for task in Path(f"/proc/{server.process.pid}/task").iterdir():
        with contextlib.suppress(OSError):
            name = (task / "comm").read_text().strip()
            state = (task / "stat").read_text().rsplit(")", 1)[1].split()[0]
            if name == "lancet-call" and state in "RD":
                return True
    return False


def large(grounds, lancet, rg, runs):
    """Times and memory on the made grounds."""
    print("\n### Made trees\n\n| ground | question | lancet, median ms | rg, median ms | found |\n|---|---|---|---|---|")
    memories = []
    for ground, questions in {
        "tree": [
            ("Grep", {"pattern": "file 1 74"}, ["-l", "file 1 74"]),
            ("Grep", {"pattern": "file"}, ["-l", "file"]),
            ("Glob", {"pattern": "*.txt"}, ["--files", "-g", "*.txt"]),
        ],
        "wide": [("Grep", {"pattern": "file"}, ["-l", "file"]), ("Glob", {"pattern": "*.txt"}, ["--files", "-g", "*.txt"])],
        "huge": [
            ("Grep", {"pattern": "12345", "output_mode": "content"}, ["-n", "12345"]),
            ("Grep", {"pattern": "others\\nsome", "multiline": True}, ["-U", "-c", "others\\nsome"]),
        ],
        "many": [
            ("Grep", {"pattern": "needle", "output_mode": "content"}, ["-n", "needle"]),
            ("Grep", {"pattern": "needle", "output_mode": "content", "head_limit": 0, "offset": 900_000}, ["-n", "needle"]),
        ],
    }.items():
        with serving(lancet, grounds[ground]) as server:
            idle = server.memory()
            for tool, arguments, flags in questions:
                answers = [server.call(tool, arguments) for _ in range(runs)]
                mine = statistics.median(taken for taken, _ in answers)
                their = statistics.median(timed([rg, "--no-config", *flags], grounds[ground]) for _ in range(runs))
                found = result(answers[-1][1])
                total = f"{found['numFiles']} files, {found.get('numMatches', 0)} matches{', time over' if found['timedOut'] else ''}"
                print(f"| {ground} | `{tool} {json.dumps(arguments)[:70]}` | {mine:.0f} | {their:.0f} | {total} |", flush=True)
            memories.append((ground, idle, server.memory("VmHWM")))
    for memory in memories:
        remember(*memory)


def default_trees():
    folder = TOP / "target" / "linux-source"
    linux = folder / LINUX
    if not (linux / "Makefile").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", LINUX], cwd=folder, check=True)
        package = next(folder.glob(f"{LINUX}_*.deb"))
        subprocess.run(["dpkg-deb", "-x", package.name, "package"], cwd=folder, check=True)
        subprocess.run(["tar", "xf", f"package/usr/src/{LINUX}.tar.xz"], cwd=folder, check=True)
        shutil.rmtree(folder / "package")
        package.unlink()
    rules = linux / ".gitignore"
    # Debian adds a line that ignores everything.
    rules.write_text("".join(line for line in rules.read_text().splitlines(True) if line.strip() != "/*"))
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    return [linux, *sorted((home / "registry" / "src").glob("*"))[:1]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="*", type=Path)
    parser.add_argument("--lancet", default=str(TOP / "target/release/lancet"))
    parser.add_argument("--rg", default=str(TOP / "target/tools/ripgrep-15.2.0/bin/rg"))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="few runs, made trees of a twentieth of the size")
    parser.add_argument("--no-compare", action="store_true", help="without rg on real trees")
    parser.add_argument("--no-reference", action="store_true", help="without the npm server")
    parser.add_argument("--no-large", action="store_true", help="without the made trees")
    parser.add_argument("--no-cancel", action="store_true", help="without cancellations")
    options = parser.parse_args()
    for program, how in ((options.lancet, "cargo build --release -p lancet-cli"), (options.rg, "cargo xtask test, which sets it up")):
        if not os.access(program, os.X_OK):
            raise SystemExit(f"{program} is not there: {how}")
    options.lancet, options.rg = (str(Path(program).resolve()) for program in (options.lancet, options.rg))
    runs, share = (2, 20) if options.quick else (options.runs, 1)
    if not options.no_compare:
        for tree in [tree.resolve() for tree in options.trees] or default_trees():
            compare(tree, options.lancet, options.rg, runs)
            if not options.no_reference:
                reference(tree, options.lancet, 60 if options.quick else 600)
    if not options.no_large:
        with tempfile.TemporaryDirectory(prefix="lancet-large-") as folder:
            grounds = dict(zip(("tree", "wide", "huge", "many"), made(folder, share)))
            large(grounds, options.lancet, options.rg, runs)
            if not options.no_cancel:
                cancel(grounds, options.lancet, max(runs, 3))
    print(f"\n{len(missed)} targets missed" + "".join(f"\n- {name}" for name in missed))
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
