#!/usr/bin/env python3
"""lancet beside a bare rmcp server and the npm reference filesystem server, in one run (Linux, Python 3.11, no packages).

Measures the CPU time of the server process per one-line Edit, the start, the memory and the size of the tool list.
What the figures mean, and why they are taken this way: benches/README.md, "Side by side".
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
GROUND = TOP / "target" / "side-by-side"
REFERENCE = "@modelcontextprotocol/server-filesystem"
PROTOCOL = "2025-06-18"

SIZES = {"10 KB": 10_000, "1 MB": 1_000_000, "20 MB": 20_000_000}
# Calls of each server at each size; the reference server builds a generic diff and takes seconds at 20 MB.
CALLS = {"10 KB": 300, "1 MB": 100, "20 MB": 30}
REFERENCE_CALLS = {"10 KB": 100, "1 MB": 20, "20 MB": 3}
# At most so many times the bare server's CPU time per call.
BARE_LIMIT = {"10 KB": 3.0, "1 MB": 1.5, "20 MB": 1.5}
# The same against the bare server that works on raw bytes.
RAW_LIMIT = {"10 KB": 2.0, "1 MB": 1.5, "20 MB": 1.5}
# At least so many times less CPU time than the reference server.
REFERENCE_LEAD = {"1 MB": 10.0}
LIMITS = {"bare": BARE_LIMIT, "raw": RAW_LIMIT}
START_LIMIT_MS = 15.0
MEMORY_LIMIT_MB = 12.0
TOOL_LIST_LIMIT = 10_000

# The name of the file. The text is like source code, but what a file of a known language also costs, the check whether it
# still parses, is measured apart: `--name file.rs`.
NAME = "file.txt"

OLD = "the line that is edited says one"
NEW = "the line that is edited says two"


class Server:
    """One server process, spoken to over its standard input and output."""

    def __init__(self, name, command, ground):
        self.name = name
        self.ground = ground
        ground.mkdir(parents=True)
        environment = dict(os.environ, HOME=str(ground), XDG_STATE_HOME=str(ground / "state"), XDG_CONFIG_HOME=str(ground / "config"))
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ground, env=environment
        )
        self.id = 0

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.id += 1
        self.send({"id": self.id, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"{self.name} ended in the middle of {method}")
            answer = json.loads(line)
            if "method" in answer:
                if "id" in answer:  # a question of the server's (roots): there is nothing to give
                    self.send({"id": answer["id"], "error": {"code": -32601, "message": "not here"}})
                continue
            if answer.get("id") == self.id:
                if "error" in answer:
                    raise SystemExit(f"{self.name}: {method}: {answer['error']}")
                return answer["result"], len(line)

    def initialize(self):
        """The milliseconds from the start of the process to the answer to `initialize`."""
        self.request(
            "initialize",
            {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "side-by-side", "version": "1"}},
        )
        taken = (time.perf_counter() - self.began) * 1e3
        self.send({"method": "notifications/initialized"})
        return taken

    def call(self, tool, arguments):
        result, _ = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise SystemExit(f"{self.name}: {tool}: {result['content']}")
        return result

    def cpu(self):
        """CPU seconds of all its threads so far, ended ones too, in nanoseconds' resolution (clock_getcpuclockid(3))."""
        return time.clock_gettime((~self.process.pid << 3) | 2)

    def memory(self):
        """Resident and proportional memory in MB."""
        fields = {}
        for line in Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()[1:]:
            key, value = line.split(":")
            fields[key] = int(value.split()[0]) * 1024 / 1e6
        return fields["Rss"], fields["Pss"]

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Kind:
    """How one server is started and asked."""

    def __init__(self, name, command, edit_tool, edit_arguments, needs_read):
        self.name, self.command = name, command
        self.edit_tool, self.edit_arguments, self.needs_read = edit_tool, edit_arguments, needs_read

    def start(self, ground):
        return Server(self.name, [str(part).replace("GROUND", str(ground)) for part in self.command], ground)


def edit_of_ours(path, old, new):
    return {"file_path": str(path), "old_string": old, "new_string": new}


def edit_of_the_reference(path, old, new):
    return {"path": str(path), "edits": [{"oldText": old, "newText": new}]}


def kinds(lancet, bare, reference):
    all_kinds = [
        Kind("lancet", [lancet, "mcp", "--root", "GROUND", "--state-dir", "GROUND/state"], "Edit", edit_of_ours, True),
        Kind("bare", [bare], "Edit", edit_of_ours, False),
        Kind("raw", [bare, "raw"], "Edit", edit_of_ours, False),
    ]
    if reference:
        all_kinds.append(Kind("reference", ["node", reference, "GROUND"], "edit_file", edit_of_the_reference, False))
    return all_kinds


def content(size):
    """Source-like lines up to `size` bytes, with the line that is edited in the middle; and its number, from 1."""
    lines, length, middle = [], 0, None
    while length < size:
        number = len(lines)
        if middle is None and length >= size // 2:
            middle = number + 1
            line = f"    // {OLD}\n"
        else:
            line = f"    let value_{number} = compute(input[{number}], {number * 7919 % 104_729}); // step {number}\n"
        lines.append(line)
        length += len(line)
    return "".join(lines), middle


class Lane:
    """One server with its file at one size: alternates the line there and back, and notes what each call took."""

    def __init__(self, kind, ground, size):
        self.server = kind.start(ground)
        self.kind = kind
        self.server.initialize()
        text, line = content(size)
        self.path = ground / NAME
        self.path.write_text(text)
        if kind.needs_read:
            self.server.call("Read", {"file_path": str(self.path), "offset": line - 5, "limit": 10})
        self.texts = (OLD, NEW)
        self.cpu, self.wall = [], []
        self.before = None

    def step(self):
        old, new = self.texts
        arguments = self.kind.edit_arguments(self.path, old, new)
        before = self.server.cpu()
        # From start to start: what a server does after its answer (freeing, flushing) counts with the call before.
        if self.before is not None:
            self.cpu.append((before - self.before) * 1e6)
        self.before = before
        began = time.perf_counter()
        self.server.call(self.kind.edit_tool, arguments)
        self.wall.append((time.perf_counter() - began) * 1e6)
        self.texts = (new, old)

    def finish(self):
        time.sleep(0.05)
        self.cpu.append((self.server.cpu() - self.before) * 1e6)
        text = self.path.read_text()
        assert text.count(self.texts[0]) == 1 and self.texts[1] not in text, f"{self.kind.name} did not edit"
        self.server.end()


def measure_edits(all_kinds, size_name, factor):
    size = SIZES[size_name]
    counts, lanes = {}, {}
    for kind in all_kinds:
        calls = (REFERENCE_CALLS if kind.name == "reference" else CALLS)[size_name]
        counts[kind.name] = max(3, int(calls * factor))
        lanes[kind.name] = Lane(kind, GROUND / f"{kind.name}-{size}", size)
        for _ in range(3 if size < SIZES["20 MB"] or kind.name != "reference" else 1):
            lanes[kind.name].step()
        lanes[kind.name].cpu.clear()
        lanes[kind.name].wall.clear()
    most = max(counts.values())
    for turn in range(most):
        for name, lane in lanes.items():
            # Spread evenly over the run, so that every server meets the same weather.
            if turn * counts[name] // most != (turn + 1) * counts[name] // most:
                lane.step()
    for lane in lanes.values():
        lane.finish()
    return {
        name: {
            "calls": len(lane.cpu),
            "cpu_median": statistics.median(lane.cpu),
            "cpu_least": min(lane.cpu),
            "wall_median": statistics.median(lane.wall),
        }
        for name, lane in lanes.items()
    }


def measure_start(all_kinds, times):
    """Start, memory and tool list of each server, interleaved."""
    figures = {kind.name: {"start": []} for kind in all_kinds}
    for turn in range(times):
        for kind in all_kinds:
            if kind.name == "reference" and turn >= 5:
                continue
            own = figures[kind.name]
            server = kind.start(GROUND / f"start-{kind.name}-{turn}")
            own["start"].append(server.initialize())
            if turn == 0:
                # A request after the notification: once it is answered, the server is initialized.
                result, length = server.request("tools/list", {})
                own["tools"] = len(result["tools"])
                own["tool_list"] = length
                time.sleep(0.3)
                own["idle_rss"], own["idle_pss"] = server.memory()
                path = server.ground / "file.rs"
                text, line = content(SIZES["10 KB"])
                path.write_text(text)
                if kind.needs_read:
                    server.call("Read", {"file_path": str(path), "offset": line - 5, "limit": 10})
                pair = (OLD, NEW)
                for _ in range(6):
                    server.call(kind.edit_tool, kind.edit_arguments(path, *pair))
                    pair = pair[::-1]
                time.sleep(0.3)
                own["used_rss"], own["used_pss"] = server.memory()
            server.end()
    for own in figures.values():
        own["start_median"], own["start_least"] = statistics.median(own["start"]), min(own["start"])
    return figures


def judged(holds):
    return "ok" if holds else "MISSED"


def report(edits, starts):
    missed = 0
    print("\nCPU per one-line Edit call (all threads, user and system), and the time until the answer, µs")
    print("| size | server | calls | CPU median | CPU least | wall median | lancet's CPU is (medians) | by least | target | |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for size, rows in edits.items():
        own = rows["lancet"]
        for name, row in rows.items():
            median, least, target, verdict = "", "", "", ""
            if name in LIMITS:
                ratio = own["cpu_median"] / row["cpu_median"]
                median, least = f"{ratio:.2f} x", f"{own['cpu_least'] / row['cpu_least']:.2f} x"
                target, verdict = f"≤ {LIMITS[name][size]} x", judged(ratio <= LIMITS[name][size])
            elif name == "reference":
                ratio = row["cpu_median"] / own["cpu_median"]
                median, least = f"1/{ratio:.1f}", f"1/{row['cpu_least'] / own['cpu_least']:.1f}"
                if size in REFERENCE_LEAD:
                    target, verdict = f"≤ 1/{REFERENCE_LEAD[size]:.0f}", judged(ratio >= REFERENCE_LEAD[size])
            missed += verdict == "MISSED"
            print(
                f"| {size} | {name} | {row['calls']} | {row['cpu_median']:,.0f} | {row['cpu_least']:,.0f} | {row['wall_median']:,.0f} "
                f"| {median} | {least} | {target} | {verdict} |"
            )
    if starts:
        print("\nStart to the answer of `initialize` (ms), memory as resident / proportional set (MB), `tools/list` answer (bytes)")
        print("| server | start median | start least | idle | after 6 edits | tools | tool list | |")
        print("|---|---|---|---|---|---|---|---|")
        for name, own in starts.items():
            verdict = ""
            if name == "lancet":
                holds = {
                    "start": own["start_median"] < START_LIMIT_MS,
                    "memory": own["idle_rss"] < MEMORY_LIMIT_MB,
                    "tool list": own["tool_list"] < TOOL_LIST_LIMIT,
                }
                verdict = ", ".join(f"{what} {judged(held)}" for what, held in holds.items())
                missed += sum(not held for held in holds.values())
            print(
                f"| {name} | {own['start_median']:.1f} | {own['start_least']:.1f} | {own['idle_rss']:.1f} / {own['idle_pss']:.1f} "
                f"| {own['used_rss']:.1f} / {own['used_pss']:.1f} | {own['tools']} | {own['tool_list']:,} | {verdict} |"
            )
        print(f"targets for lancet: start < {START_LIMIT_MS:.0f} ms, idle < {MEMORY_LIMIT_MB:.0f} MB, tool list < {TOOL_LIST_LIMIT:,} bytes")
    print(f"\n{missed} targets missed")
    return missed


def on_a_real_disk(folder):
    """The type of the file system that the folder is on; one in memory would make every write look free."""
    kind = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True, check=True).stdout.strip()
    if kind in ("tmpfs", "ramfs"):
        raise SystemExit(f"{folder} is on {kind}, not on a disk: choose another with --ground")
    return kind


def install_reference():
    folder = TOP / "target" / "reference-server"
    entry = folder / "node_modules" / REFERENCE / "dist" / "index.js"
    if not entry.exists():
        folder.mkdir(parents=True, exist_ok=True)
        print(f"installing {REFERENCE} into {folder}")
        subprocess.run(
            ["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel", "error", REFERENCE], check=True
        )
    version = json.loads((entry.parent.parent / "package.json").read_text())["version"]
    return entry, version


def main():
    global GROUND, NAME
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-build", action="store_true", help="take target/release as it is")
    parser.add_argument("--no-reference", action="store_true", help="without the npm server")
    parser.add_argument("--no-start", action="store_true", help="only the Edit calls")
    parser.add_argument("--lancet", type=Path, help="another lancet binary")
    parser.add_argument("--sizes", default=",".join(SIZES), help="of " + ",".join(SIZES))
    parser.add_argument("--factor", type=float, default=1.0, help="so many times the usual number of calls")
    parser.add_argument("--ground", type=Path, help="where the files go; must be on a disk (default: target/side-by-side)")
    parser.add_argument("--name", default=NAME, help="the name of the file; file.rs: with the check whether it still parses")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    NAME = options.name
    if options.ground:
        GROUND = options.ground.resolve() / "lancet-side-by-side"
    shutil.rmtree(GROUND, ignore_errors=True)
    GROUND.mkdir(parents=True)
    disk = on_a_real_disk(GROUND)
    if not options.no_build:
        subprocess.run(["cargo", "build", "--release", "-p", "lancet-cli", "-p", "bare-server"], cwd=TOP, check=True)
    release = TOP / "target" / "release"
    lancet = (options.lancet or release / "lancet").resolve()
    reference, version = (None, "not run") if options.no_reference else install_reference()
    all_kinds = kinds(lancet, release / "bare-server", reference)
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    print(f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} x {model}, Linux {os.uname().release}, {disk}, load {os.getloadavg()[0]:.1f}")
    print(f"lancet {lancet.stat().st_size / 1e6:.1f} MB; reference server {REFERENCE} {version}")
    edits = {}
    for size in options.sizes.split(","):
        print(f"measuring {size} …", file=sys.stderr)
        edits[size] = measure_edits(all_kinds, size, options.factor)
    starts = {} if options.no_start else measure_start(all_kinds, 21)
    missed = report(edits, starts)
    if options.json:
        options.json.write_text(json.dumps({"edits": edits, "starts": starts}, indent=1))
    shutil.rmtree(GROUND, ignore_errors=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
