"""Writes notebooks of many forms into a folder: by nbformat, by jupytext, and odd ones by hand.

usage: make_notebooks.py FOLDER
"""

import json
import sys
from pathlib import Path

import jupytext
import nbformat
from nbformat import v3, v4

folder = Path(sys.argv[1])
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SOURCES = ["x = 1", "", "def f(a):\n    return a\n", "print('ä “q” \\n 🚀')\n\n", "# %% not a cell", "a\tb\n\\frac{1}{2}\n", '"""doc"""\nx = {"k": [1, 2]}']


def outputs(number):
    stream = v4.new_output("stream", name="stdout", text=f"out {number}\nmore\n")
    picture = v4.new_output("display_data", data={"image/png": PIXEL, "text/plain": "<Figure>"})
    result = v4.new_output("execute_result", data={"text/html": "<b>1</b>", "application/json": {"a": [1, None]}}, execution_count=number)
    error = v4.new_output("error", ename="E", evalue="v", traceback=["\x1b[31mred\x1b[0m", "line"])
    return [[], [stream], [picture], [result, stream], [error]][number % 5]


def made(number, minor):
    cells = []
    for at, source in enumerate(SOURCES[: 3 + number % 5]):
        kind = (at + number) % 3
        if kind == 0:
            cells.append(v4.new_code_cell(source, execution_count=at or None, outputs=outputs(at + number)))
        elif kind == 1:
            cells.append(v4.new_markdown_cell(source, metadata={"tags": ["t"], "collapsed": bool(at % 2)}))
        else:
            cells.append(v4.new_raw_cell(source))
    notebook = v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    notebook.nbformat_minor = minor
    for at, cell in enumerate(notebook.cells):
        if minor >= 5:
            cell["id"] = f"cell-{at}"
        else:
            cell.pop("id", None)
    return notebook


def put(name, text, encoding="utf-8"):
    (folder / f"{name}.ipynb").write_bytes(text.encode(encoding))


def standard(notebook):
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n"


for minor in range(6):
    for number in range(7):
        put(f"nbformat-{minor}-{number}", standard(made(number, minor)))

PY = "# ---\n# jupyter:\n#   kernelspec: {name: python3, display_name: P}\n# ---\n\n# # Title\n\nx = 1\n\n# +\ndef f():\n    return 2\n# -\n\nf()\n"
MD = "# Title\n\ntext\n\n```python\nx = 1\n```\n\nmore *text*\n\n```python tags=[\"a\"]\ny = 2\n```\n"
for name, text, fmt in [("light", PY, "py:light"), ("percent", "# %% [markdown]\n# # T\n\n# %%\nx = 1\n\n# %% tags=[\"a\"]\ny\n", "py:percent"), ("markdown", MD, "md"), ("rmd", MD.replace("```python", "```{python}"), "Rmd")]:
    notebook = jupytext.reads(text, fmt=fmt)
    put(f"jupytext-{name}", jupytext.writes(notebook, fmt="ipynb"))

plain = json.loads(standard(made(4, 4)))
with_ids = json.loads(standard(made(4, 5)))
dump = json.dumps
put("one-line", dump(plain))
put("compact", dump(plain, separators=(",", ":")))
put("tabs", dump(with_ids, indent="\t") + "\n")
put("four-spaces", dump(with_ids, indent=4, ensure_ascii=False))
put("escaped", dump(with_ids, indent=1, ensure_ascii=True) + "\n")
put("crlf", (dump(with_ids, indent=1) + "\n").replace("\n", "\r\n"))
put("bom", dump(with_ids, indent=1), "utf-8-sig")
put("utf-16", "\ufeff" + dump(with_ids, indent=1), "utf-16-le")
put("sorted", dump(with_ids, indent=2, sort_keys=True))
strings = json.loads(dump(with_ids))
for cell in strings["cells"]:
    cell["source"] = "".join(cell["source"])
put("strings", dump(strings, indent=1))
nan = json.loads(dump(with_ids))
nan["metadata"]["loss"] = [float("nan"), float("inf"), -float("inf")]
put("nan", dump(nan, indent=1))
put("duplicate-keys", dump(with_ids, indent=1).replace('"metadata": {}', '"metadata": {"a": 1, "a": 2}'))
put("twofold-source", dump(plain).replace('"source": ["x = 1"]', '"source": "old", "source": ["x = 1"]'))
put("blanks", dump(plain, separators=(" ,  ", "  : ")))
put("solidus", dump(with_ids).replace("\\\\frac", "\\\\\\/frac").replace('"code"', '"c\\u006fde"'))
put("unknown-members", dump({"x-before": [1.0e5, 1e400], **with_ids, "x-after": {"deep": [[[]]]}}, indent=3))
put("empty-lines", "\n\n" + dump(with_ids, indent=1) + "\n\n\n")
put("attachments", dump({**plain, "cells": [{"cell_type": "markdown", "metadata": {}, "attachments": {"a.png": {"image/png": PIXEL}}, "source": ["![](a)"]}, *plain["cells"]]}, indent=1))
