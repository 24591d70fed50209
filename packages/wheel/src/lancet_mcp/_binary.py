"""Finds the program `lancet` that was installed with this package."""

from __future__ import annotations

import os
import sysconfig
from typing import Optional

from ._errors import BinaryNotFound


def find(given: Optional[str] = None) -> str:
    """The program: the one that is given, else `LANCET_BIN`, else that of the package. `PATH` is not looked at."""
    named = given or os.environ.get("LANCET_BIN")
    if named:
        if not os.access(named, os.X_OK):
            raise BinaryNotFound("%s is not a program that can be started" % named)
        return os.path.abspath(named)
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # A virtual environment or the system; `pip install --user`; `--prefix`; `--target`.
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme="posix_user"),
        os.path.normpath(os.path.join(packages, "../../../bin")),
        os.path.join(packages, "bin"),
    ]
    # The folders nearest to this package come first: another environment may hold another version.
    folders.sort(key=lambda folder: -len(os.path.commonpath([folder, packages])))
    for folder in folders:
        program = os.path.join(folder, "lancet")
        if os.access(program, os.X_OK):
            return program
    raise BinaryNotFound(
        "the program lancet is not in %s; install lancet-mcp again, or name the program by `binary=` or LANCET_BIN"
        % " or ".join(folders)
    )
