"""Judges edited notebooks: each is as valid as its original, the cell that was meant is as it was meant to be, and all
other cells and the rest of the notebook are equal.

usage: judge_notebooks.py FOLDER < a line of JSON for each edit: {"old", "new", "mode", "at", "source"}
"""

import json
import sys
from pathlib import Path

import nbformat

folder = Path(sys.argv[1])
wrong = 0


def load(name):
    data = (folder / name).read_bytes()
    text = data.decode("utf-16" if data[:2] == b"\xff\xfe" else "utf-8-sig")
    return json.loads(text)


def valid(value):
    try:
        nbformat.validate(nbformat.from_dict(value))
        return None
    except Exception as error:
        return str(error).splitlines()[0]


def source(cell):
    return "".join(cell["source"])


# NaN is not equal to itself, and the text of two values is.
def same(a, b):
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


for line in sys.stdin:
    edit = json.loads(line)
    old, new = load(edit["old"]), load(edit["new"])
    found = []
    if valid(old) is None and (why := valid(new)):
        found.append(f"no longer valid: {why}")
    at, mode = edit["at"], edit["mode"]
    cells, changed = old.pop("cells"), new.pop("cells")
    if not same(old, new):
        found.append("something outside of the cells changed")
    if mode == "delete":
        if not same(cells[:at] + cells[at + 1 :], changed):
            found.append("another cell changed")
    else:
        step = 0 if mode == "insert" else 1
        if not same(cells[:at], changed[:at]) or not same(cells[at + step :], changed[at + 1 :]):
            found.append("another cell changed")
        elif source(changed[at]) != edit["source"]:
            found.append(f"the source is {source(changed[at])!r}")
        elif mode == "replace":
            kept = ("cell_type", "id", "metadata", "attachments")
            before, after = cells[at], changed[at]
            if any(not same(before.get(key), after.get(key)) for key in kept):
                found.append("more than source, outputs and count changed")
            if after["cell_type"] == "code" and (after["outputs"] or after["execution_count"] is not None):
                found.append("outputs of the old source stay")
    for words in found:
        wrong += 1
        print(f"{edit['new']}: {mode} at {at}: {words}")
print(f"{wrong} wrong")
