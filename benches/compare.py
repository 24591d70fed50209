#!/usr/bin/env python3
"""What lancet costs, measured in one go, beside the figures of the last release (Linux, Python 3.11, no packages).

    benches/compare.py [--lancet PROGRAM] [--bare PROGRAM] [--rg PROGRAM] [--tree FOLDER] [--build]

Start, memory, size, Edit, Read and Grep take about a minute; `--build` adds what `./try` takes from nothing. The figures of the last release are
the first table of RESULTS.md, by the names of its rows. Most figures are ratios to another program of the same run, because a shared
machine's own speed changes from run to run. `cargo xtask bench --compare` builds what this needs and starts it.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import side_by_side
from side_by_side import SIZES, Kind, content, edit_of_ours, measure_edits

TOP = Path(__file__).resolve().parent.parent
RESULTS = TOP / "benches" / "RESULTS.md"
# A program that does nothing but what every program must: it is loaded with the libraries that lancet needs, and prints a line.
SMALLEST = '#include <stdio.h>\nint main(void) { puts("lancet 0.1.0"); return 0; }\n'
# How far a figure may be from the one on record before the table marks it.
NOTEWORTHY = 0.10


def processor_time(command, times):
    """The median of the processor milliseconds, user and system, of whole processes."""
    taken = []
    for _ in range(times):
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{command}: exit code {child.returncode}")
        taken.append((usage.ru_utime + usage.ru_stime) * 1e3)
    return statistics.median(taken)


def smallest_program(folder):
    source, program = folder / "smallest.c", folder / "smallest"
    source.write_text(SMALLEST)
    libraries = ["-Wl,--no-as-needed", "-lgcc_s", "-lm"]
    subprocess.run([os.environ.get("CC", "cc"), "-O2", source, "-o", program, *libraries], check=True)
    return program


def measure_start(lancet, folder, times=201):
    """`lancet --version` beside a C program, in turn, so that both meet the same conditions."""
    smallest = smallest_program(folder)
    rounds = [(processor_time([lancet, "--version"], 3), processor_time([smallest], 3)) for _ in range(times // 3)]
    ours, smallest_time = (statistics.median(column) for column in zip(*rounds))
    return {"`lancet --version`, beside a C program": ours / smallest_time, "`lancet --version`, ms": ours}


def measure_server(lancet, folder, times=21):
    kind = lancet_kind(lancet)
    starts, memory = [], None
    for turn in range(times):
        server = kind.start(folder / f"start-{turn}")
        starts.append(server.initialize())
        if memory is None:
            server.request("tools/list", {})
            time.sleep(0.5)
            memory = server.memory()[0]
        server.end()
    return {"`initialize` answered, ms": statistics.median(starts), "memory at rest, MB": memory}


def lancet_kind(lancet):
    return Kind("lancet", [lancet, "mcp", "--root", "GROUND", "--state-dir", "GROUND/state"], "Edit", edit_of_ours, True)


def measure_edit(lancet, bare, folder, factor):
    """The median processor time of an Edit beside the same edit by a server on raw bytes."""
    side_by_side.GROUND = folder
    kinds = [lancet_kind(lancet), Kind("raw", [bare, "raw"], "Edit", edit_of_ours, False)]
    figures = {}
    for size in SIZES:
        rows = measure_edits(kinds, size, factor)
        figures[f"Edit of {size}, beside raw bytes"] = rows["lancet"]["cpu_median"] / rows["raw"]["cpu_median"]
    side_by_side.NAME, side_by_side.GROUND = "file.rs", folder / "source"
    rows = measure_edits([lancet_kind(lancet)], "1 MB", factor / 5)
    figures["Edit of 1 MB that is Rust, ms"] = rows["lancet"]["cpu_median"] / 1e3
    return figures


def measure_read(lancet, folder, times=100):
    """The median processor time of a Read of a page in the middle of 1 MB, ms."""
    server = lancet_kind(lancet).start(folder / "read")
    server.initialize()
    text, line = content(SIZES["1 MB"])
    path = folder / "read" / "file.rs"
    path.write_text(text)
    taken = []
    for turn in range(times):
        before = server.cpu()
        # Another page each time: the same one again would be answered in one line.
        server.call("Read", {"file_path": str(path), "offset": line // 2 + turn * 20, "limit": 200, "force": True})
        taken.append((server.cpu() - before) * 1e3)
    server.end()
    return {"Read of a page, ms": statistics.median(taken)}


def measure_grep(lancet, rg, tree, folder, times=9):
    """A word that is in few files, asked over MCP after a pause, beside the `rg` process: medians of wall time."""
    server = side_by_side.Server(
        "lancet", [lancet, "mcp", "--root", tree, "--state-dir", folder / "grep-state"], folder / "grep"
    )
    server.initialize()
    question = {"pattern": "partition_point", "path": str(tree), "output_mode": "content"}
    for _ in range(2):  # The second search begins to make the tree resident.
        server.call("Grep", question)
    time.sleep(15)
    ours, theirs = [], []
    for _ in range(times):
        began = time.perf_counter()
        subprocess.run([rg, "-n", "partition_point", tree], stdout=subprocess.DEVNULL, check=False)
        theirs.append(time.perf_counter() - began)
        time.sleep(0.3)
        began = time.perf_counter()
        server.call("Grep", question)
        ours.append(time.perf_counter() - began)
    server.end()
    return {"Grep of a rare word, times faster than `rg`": statistics.median(theirs) / statistics.median(ours)}


def measure_build(folder):
    """The processor minutes of `./try` from nothing but downloaded sources."""
    environment = dict(os.environ, CARGO_TARGET_DIR=str(folder / "target"), CARGO_INSTALL_ROOT=str(folder / "installed"))
    subprocess.run(["cargo", "fetch", "--locked"], cwd=TOP, check=True)
    child = subprocess.Popen([TOP / "try"], env=environment, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit("./try failed")
    return {"`./try` from nothing, processor minutes": (usage.ru_utime + usage.ru_stime) / 60}


def figures_on_record(text):
    """The second and third column of the first table of RESULTS.md by its first: the last release's figure, and the one wanted."""
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|"):
            rows[cells[0]] = (cells[1], cells[2] if len(cells) > 2 else "")
        elif rows:
            break
    return rows


def number(cell):
    found = re.search(r"\d+(?:,\d{3})*(?:\.\d+)?", cell)
    return float(found.group().replace(",", "")) if found else None


def table(figures, record):
    lines = ["| what | last release | now | change | wanted |", "|---|---|---|---|---|"]
    for name, figure in figures.items():
        before, wanted = record.get(name, ("", ""))
        change = ""
        if number(before):
            ratio = figure / number(before)
            change = f"{ratio - 1:+.0%}" + (" !" if abs(ratio - 1) > NOTEWORTHY else "")
        lines.append(f"| {name} | {before} | {figure:,.2f} | {change} | {wanted} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    release = TOP / "target" / "release"
    parser.add_argument("--lancet", type=Path, default=release / "lancet")
    parser.add_argument("--bare", type=Path, default=release / "bare-server", help="the server on raw bytes")
    parser.add_argument("--rg", type=Path, default=shutil.which("rg"), help="ripgrep; without it Grep is left out")
    registry = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")) / "registry" / "src"
    parser.add_argument("--tree", type=Path, default=registry, help="what is searched (default: cargo's sources)")
    parser.add_argument("--factor", type=float, default=0.5, help="so many times the usual number of Edits")
    parser.add_argument("--build", action="store_true", help="also what ./try takes from nothing, some minutes")
    options = parser.parse_args()
    lancet = options.lancet.resolve()
    folder = Path(tempfile.mkdtemp(prefix="compare-", dir=TOP / "target"))
    try:
        figures = {"program, MB": lancet.stat().st_size / 1e6}
        figures |= measure_start(lancet, folder)
        figures |= measure_server(lancet, folder)
        figures |= measure_edit(lancet, options.bare.resolve(), folder / "edit", options.factor)
        figures |= measure_read(lancet, folder)
        if options.rg:
            figures |= measure_grep(lancet, options.rg, options.tree, folder)
        if options.build:
            figures |= measure_build(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    print(table(figures, figures_on_record(RESULTS.read_text())))
    print(f"\n`!` marks a change of more than {NOTEWORTHY:.0%}.")


if __name__ == "__main__":
    sys.exit(main())
