"""Applies replies with the code of aider-chat, without a model: one JSON object a line in, one a line out."""

import importlib.abc
import importlib.machinery
import json
import sys
from pathlib import Path
from unittest.mock import MagicMock


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands for packages that Aider imports and that applying a reply does not need (the clients of model APIs, the terminal)."""

    def find_spec(self, name, path=None, target=None):
        return None if name.split(".")[0] == "aider" else importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__, module.__spec__ = [], spec
        return module

    def exec_module(self, module):
        pass


sys.meta_path.append(Absent())

from aider.coders.editblock_coder import EditBlockCoder  # noqa: E402
from aider.coders.patch_coder import PatchCoder  # noqa: E402
from aider.coders.udiff_coder import UnifiedDiffCoder  # noqa: E402

CODERS = {"search-replace": EditBlockCoder, "v4a": PatchCoder, "unified": UnifiedDiffCoder}


class Files:
    """Reads and writes as `aider.io.InputOutput` does: text with the line ends of the platform."""

    def read_text(self, name):
        try:
            return Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeError):
            return None

    def write_text(self, name, content):
        Path(name).write_text(content, encoding="utf-8")

    def __getattr__(self, name):
        return lambda *arguments, **named: None


def apply(root, dialect, reply):
    kind = CODERS[dialect]
    coder = object.__new__(kind)
    names = [str(path) for path in sorted(Path(root).rglob("*.py"))]
    coder.__dict__.update(
        root=root, io=Files(), fence=("```", "```"), partial_response_content=reply, shell_commands=[], abs_fnames=set(names), abs_root_path_cache={},
        abs_read_only_fnames=set(),
    )
    edits = coder.get_edits()
    if kind is EditBlockCoder:
        edits = coder.apply_edits_dry_run(edits)
    coder.apply_edits(edits)


for line in sys.stdin:
    asked = json.loads(line)
    try:
        apply(asked["root"], asked["dialect"], asked["reply"])
        answer = {"ok": True}
    except Exception as error:  # Whatever it raises is a refusal; what it wrote before is on the disk.
        answer = {"ok": False, "why": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(answer), flush=True)
