"""Judges what was read of PDFs: poppler's pdftotext and pdftoppm read the same pages. Words are compared as a multiset,
pictures pixel by pixel. pdftoppm moves every line of text to whole pixels, so it draws eight times as large, and the result
is reduced. Ligatures count as their letters, and marks of the direction of writing count for nothing.

usage: judge_pdfs.py FOLDER < a line of JSON for each page: {"file", "page", "text", "picture", "recall"}
"""

import json
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path

from PIL import Image, ImageChops, ImageStat

LARGER = 8
Image.MAX_IMAGE_PIXELS = None
folder = Path(sys.argv[1])
wrong = 0


def words(text):
    letters = (one for one in unicodedata.normalize("NFKC", text) if unicodedata.category(one) != "Cf")
    return Counter("".join(letters).split())


for line in sys.stdin:
    read = json.loads(line)
    only = ["-f", str(read["page"]), "-l", str(read["page"]), folder / read["file"]]
    text = subprocess.run(["pdftotext", *only, "-"], check=True, capture_output=True).stdout.decode()
    theirs, ours = words(text), words(read["text"])
    recall = sum((theirs & ours).values()) / max(1, sum(theirs.values()))
    picture = Image.open(folder / read["picture"]).convert("RGB")
    size = ["-scale-to-x", str(picture.width * LARGER), "-scale-to-y", str(picture.height * LARGER)]
    subprocess.run(["pdftoppm", "-singlefile", *size, *only, folder / "theirs"], check=True)
    drawn = Image.open(folder / "theirs.ppm").reduce(LARGER)
    difference = 255.0
    if drawn.size == picture.size:
        difference = sum(ImageStat.Stat(ImageChops.difference(drawn, picture)).mean) / 3
    is_wrong = recall < read["recall"] or difference >= 2
    wrong += is_wrong
    where = f"{read['file']} page {read['page']}"
    missing = list((theirs - ours).items())[:5]
    print(f"{where}: recall {recall:.3f}, difference {difference:.2f}, missing {missing}", file=sys.stderr)
    if is_wrong:
        print(f"{where}: recall {recall:.3f} of its words, difference {difference:.2f}, missing {missing}")
print(f"{wrong} wrong")
