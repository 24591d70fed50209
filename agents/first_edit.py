#!/usr/bin/env python3
"""How long it takes from nothing to the first edit by an agent, with the packages at hand and no compiler on the machine.

    first_edit.py DIST PACKAGES [AGENT ...]

DIST is the folder that `cargo xtask package` wrote, PACKAGES the one with the agents. In a fresh home folder lancet is installed from the
wheel (pip) and from the npm packages (npm), `lancet install AGENT` is run, and the agent reads a file and changes it. PATH has links to
the few programs that this needs, and nothing that compiles or links. Each line is a way and an agent, with the seconds of every step.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cases
import drivers
from model import Model

# What the ways and the agents run; `env` and `sh` start the others.
PROGRAMS = ("sh", "env", "node", "npm", "git", "uname", "cat", "sed", "dirname", "readlink", "basename", "ls", "rm", "mkdir")
COMPILERS = ("cc", "gcc", "clang", "ld", "rustc", "cargo", "zig", "make")


def by_pip(dist, base, environment):
    venv = base / "venv"
    run([sys.executable, "-m", "venv", venv], environment)
    run([venv / "bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", next(dist.glob("*_x86_64.whl"))],
        environment)
    return venv / "bin/lancet"


def by_npm(dist, base, environment):
    folder = base / "node"
    folder.mkdir()
    archives = [next(dist.glob(name)) for name in ("lancet-mcp-[0-9]*.tgz", "lancet-mcp-linux-x64-*.tgz")]
    run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix", folder, *archives], environment)
    return folder / "node_modules/.bin/lancet"


def run(command, environment, cwd=None):
    subprocess.run([str(word) for word in command], env=environment, cwd=cwd, check=True, capture_output=True, timeout=120)


def path_without_compilers(folder):
    """A folder with links to the programs that are needed."""
    folder.mkdir()
    for name in PROGRAMS:
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(os.path.realpath(found))
    there = [name for name in COMPILERS if shutil.which(name, path=str(folder))]
    assert not there, there
    return str(folder)


def script(agent, folder):
    path = folder.write("notes.txt", b"one\r\ntwo\r\n")
    yield agent.tool("Read", {"file_path": path})
    yield agent.tool("Edit", {"file_path": path, "old_string": "two", "new_string": "2"})


def measured(way, dist, agent):
    base, model, before = Path(os.path.realpath(tempfile.mkdtemp(prefix="lancet-first-"))), Model(), os.environ["PATH"]
    try:
        home, folder = base / "home", cases.Folder(base / "home/work/project")
        environment = {"HOME": str(home), "PATH": path_without_compilers(base / "bin"), "LANG": "C.UTF-8"}
        times = [time.monotonic()]
        lancet = way(dist, base, environment)
        times.append(time.monotonic())
        run([lancet, "install", agent.name, "--yes", "--writes", "allow"], environment, folder.path)
        times.append(time.monotonic())
        os.environ["PATH"] = environment["PATH"]
        _, printed = agent.run(model, home, folder.path, agent.prepared(script(agent, folder)))
        times.append(time.monotonic())
        assert folder.bytes("notes.txt") == b"one\r\n2\r\n", printed
        return [after - earlier for earlier, after in zip(times, times[1:])]
    finally:
        os.environ["PATH"] = before
        model.close()
        shutil.rmtree(base, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dist", type=lambda text: Path(text).resolve())
    parser.add_argument("packages", type=lambda text: Path(text).resolve())
    parser.add_argument("agents", nargs="*", default=["claude-code", "codex"])
    chosen = parser.parse_args()
    for kind in drivers.ALL:
        if kind.name not in chosen.agents or kind.variant:
            continue
        for name, way in (("pip", by_pip), ("npm", by_npm)):
            agent = kind(chosen.packages)
            package, install, edit = measured(way, chosen.dist, agent)
            print("%s, %s %s: package %.1f s, lancet install %.1f s, the agent's first edit %.1f s; %.1f s in all" % (
                name, agent.title, agent.version(), package, install, edit, package + install + edit), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
