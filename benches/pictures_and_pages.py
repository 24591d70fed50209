#!/usr/bin/env python3
"""What a photograph and a page of a PDF cost lancet, beside ImageMagick's `convert -resize` and poppler's `pdftoppm`.

    benches/pictures_and_pages.py [LANCET]

A photograph of 12 megapixels (4,000 x 3,000, JPEG) is read as the picture that a model gets; `convert` resizes the same file
to the same size and writes JPEG. A page of a printed document is read as picture with its text; `pdftoppm` draws the same
page at the same size as PNG. What is taken is the CPU time of all processes of one read, user and system, without lancet's
start; medians of turns in which both go one after the other. `convert` and `pdftoppm` have to be installed.
"""

import base64
import importlib.util
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
ROUNDS = 15
found = importlib.util.spec_from_file_location("poisonous_files", TOP / "benches" / "poisonous_files.py")
poisonous_files = importlib.util.module_from_spec(found)
found.loader.exec_module(poisonous_files)


def spent(pid):
    """The CPU seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def spent_by(command):
    before = os.times()
    subprocess.run(command, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def size_of(picture):
    if picture[:4] == b"\x89PNG":
        return struct.unpack(">II", picture[16:24])
    at = 2
    while not 0xC0 <= picture[at + 1] <= 0xC3:
        at += 2 + struct.unpack(">H", picture[at + 2 : at + 4])[0]
    height, width = struct.unpack(">HH", picture[at + 5 : at + 9])
    return width, height


def compared(lancet, folder, name, file, arguments, their_command):
    """Reads copies of a file in turn with the other program: a server answers the same file only once."""
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as home:
        server = poisonous_files.Server([lancet, "mcp", "--root", str(folder)], home)
        for turn in range(ROUNDS):
            copy = folder / f"{turn}-{file.name}"
            shutil.copy(file, copy)
            before = spent(server.process.pid)
            result = server.call("Read", {"file_path": str(copy), **arguments})
            ours.append(spent(server.process.pid) - before)
            pictures = [base64.b64decode(block["data"]) for block in result["content"] if block["type"] == "image"]
            width, height = size_of(pictures[0])
            theirs.append(spent_by(their_command(copy, width, height, folder)))
        server.process.stdin.close()
        server.process.wait(30)
    our, their = statistics.median(ours), statistics.median(theirs)
    print(f"| {name}, sent as {width} x {height} | {our * 1000:.0f} | {their * 1000:.0f} | {our / their:.2f} |", flush=True)


def convert(file, width, height, folder):
    return ["convert", str(file), "-resize", f"{width}x{height}!", str(folder / "theirs.jpg")]


def pdftoppm(file, width, height, folder):
    page = ["-f", "1", "-l", "1", "-scale-to-x", str(width), "-scale-to-y", str(height)]
    return ["pdftoppm", "-png", *page, str(file), str(folder / "theirs")]


def main():
    lancet = sys.argv[1] if len(sys.argv) > 1 else str(TOP / "target" / "release" / "lancet")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        photograph = folder / "photograph.jpg"
        made = ["-size", "4000x3000", "-seed", "7", "plasma:tan-steelblue", "-attenuate", "0.2", "+noise", "Gaussian"]
        subprocess.run(["convert", *made, "-quality", "90", str(photograph)], check=True)
        print("| file | lancet, CPU ms | other, CPU ms | ratio |\n|---|---:|---:|---:|")
        compared(lancet, folder, "photograph, `convert`", photograph, {}, convert)
        prints = TOP / "crates" / "lancet" / "tests" / "formats" / "prints"
        for name in ("article", "table", "code", "columns"):
            compared(lancet, folder, f"page `{name}`, `pdftoppm`", prints / f"{name}.pdf", {"pages": "1"}, pdftoppm)


main()
