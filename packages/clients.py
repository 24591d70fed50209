#!/usr/bin/env python3
"""Installs the wheel and the npm packages of a folder into clean places, checks the types of the clients in them, and runs the clients' own tests.

    clients.py FOLDER [MYPY TSC]

FOLDER is what `cargo xtask package` wrote, MYPY a folder with mypy from PyPI, TSC the compiler `tsc` from npm; without them types are not
checked. Each part ends with a line `N passed, N failed`; the exit status is 0 when all holds.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import other_processors

HERE = pathlib.Path(__file__).resolve().parent


def run(command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=300, **options)
    return done.returncode == 0, done.stdout


def environment(**more):
    """That of this process, without the program and the packages that somebody works with."""
    without = {name: value for name, value in os.environ.items() if name not in ("LANCET_BIN", "PYTHONPATH", "NODE_PATH")}
    return {**without, "PYTHONDONTWRITEBYTECODE": "1", **more}


def packages(pattern):
    """The packages of this name for this machine."""
    return [path for path in DIST.glob(pattern) if other_processors.processor_of(path.name) in (None, other_processors.HERE)]


def python(base):
    """The steps of the client in Python: what each is called, and what it runs."""
    target = base / "target"
    yield "install", ([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile",
                       "--disable-pip-version-check", "--root-user-action", "ignore", "--target", target, *packages("*.whl")], {})
    if MYPY:
        checked = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", base / "cache"]
        yield "types", ([*checked, "--package", "lancet_mcp"], {"cwd": base, "env": environment(PYTHONPATH=f"{target}:{MYPY}")})
        example = [HERE / "wheel/tests/caller.py"]
        yield "types of a caller", ([*checked, "--warn-unused-ignores", *example],
                                    {"cwd": base, "env": environment(PYTHONPATH=MYPY, MYPYPATH=str(target))})
    yield "tests", ([sys.executable, HERE / "wheel/tests/clients.py"], {"env": environment(PYTHONPATH=str(target))})


def node(base):
    """The steps of the client in JavaScript."""
    folder = base / "node"
    folder.mkdir()
    for source in (HERE / "npm/tests", HERE / "npm/examples"):
        shutil.copytree(source, folder, dirs_exist_ok=True)
    archives = [*packages("lancet-mcp-[0-9]*.tgz"), *packages("lancet-mcp-linux-*.tgz")]
    yield "install", (["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix", folder, *archives],
                      {"cwd": folder})
    if TSC:
        yield "types", ([TSC, "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext",
                         "--lib", "es2022,dom", "types.mts"], {"cwd": folder})
    yield "tests", (["node", folder / "clients.mjs", folder / "agent.mjs", HERE / "../docs/errors.md"],
                    {"cwd": folder, "env": environment()})


def main():
    holds = True
    for language in (python, node):
        with tempfile.TemporaryDirectory(prefix="lancet-clients-") as base:
            passed = failed = 0
            for name, (command, options) in language(pathlib.Path(os.path.realpath(base))):
                succeeded, printed = run(command, **options)
                holds = holds and succeeded
                if not succeeded:
                    print(f"FAILED  {language.__name__}: {name}\n{printed.rstrip()}")
                elif name == "tests":
                    # They count themselves.
                    print(printed.rstrip().splitlines()[-1])
                if name != "tests":
                    passed, failed = passed + succeeded, failed + (not succeeded)
                if name == "install" and not succeeded:
                    break
            print(f"{passed} passed, {failed} failed")
    return 0 if holds else 1


DIST = pathlib.Path(sys.argv[1]).resolve()
MYPY, TSC = (os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])) if len(sys.argv) > 3 else (None, None)

if __name__ == "__main__":
    sys.exit(main())
