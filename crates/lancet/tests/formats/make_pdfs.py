"""Makes PDFs with reportlab, for judge_pdfs.py.

usage: make_pdfs.py FOLDER
"""

import random
import sys
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

folder = Path(sys.argv[1])
# Fonts that are in the document look the same in every reader; others depend on the machine.
FONTS = ("Vera", "VeraBd", "VeraIt", "VeraBI")
for font in FONTS:
    pdfmetrics.registerFont(TTFont(font, f"{font}.ttf"))
pdfmetrics.registerFontFamily("Vera", *FONTS)
chance = random.Random(7)
WORDS = (
    "the kite flies over a quiet harbour while report numbers fall and rise between seven windows of office flow "
    "efficient difficult naïve façade Größe (round) [square] 12.5% A-B e.g. don’t “quoted” — 1,024"
).split()


def sentence(count):
    return " ".join(chance.choice(WORDS) for _ in range(count)) + "."


def flow(name, size, extra):
    style = getSampleStyleSheet()
    style["BodyText"].fontName = "Vera"
    style["Heading1"].fontName = "VeraBd"
    parts = []
    for chapter in range(2):
        parts.append(Paragraph(f"Chapter {chapter + 1}: {sentence(3)}", style["Heading1"]))
        for _ in range(4):
            parts.append(
                Paragraph(f"{sentence(50)} <b>{sentence(5)}</b> <i>{sentence(4)}</i>", style["BodyText"])
            )
        parts += extra()
    SimpleDocTemplate(str(folder / name), pagesize=size, leftMargin=20, rightMargin=20, topMargin=20, bottomMargin=20, invariant=1).build(parts)


def table():
    rows = [[sentence(2) if column else str(row * 7) for column in range(4)] for row in range(9)]
    style = [("FONT", (0, 0), (-1, -1), "VeraIt", 9), ("GRID", (0, 0), (-1, -1), 0.5, colors.grey), ("BACKGROUND", (0, 0), (-1, 0), colors.lightblue)]
    return [Table(rows, style=style)]


flow("prose.pdf", (340, 420), list)
flow("table.pdf", (420, 320), table)

page = canvas.Canvas(str(folder / "columns.pdf"), pagesize=(420, 320), invariant=1)
for left in (20, 230):
    text = page.beginText(left, 290)
    text.setFont("Vera", 8)
    for _ in range(25):
        text.textLine(sentence(4))
    page.drawText(text)
page.saveState()
page.translate(215, 60)
page.rotate(90)
page.setFont("VeraIt", 10)
page.drawString(0, 0, "Rotated margin note")
page.restoreState()
page.save()

page = canvas.Canvas(str(folder / "spaced.pdf"), pagesize=(300, 330), invariant=1, pageCompression=1)
for number, name in enumerate(FONTS):
    for line, (spacing, scale) in enumerate(((0, 100), (0.5, 100), (0, 80), (0, 130))):
        text = page.beginText(20, 310 - number * 80 - line * 18)
        text.setFont(name, 8 + 2 * line)
        text.setCharSpace(spacing)
        text.setHorizScale(scale)
        text.textOut(sentence(4))
        page.drawText(text)
page.save()

page = canvas.Canvas(str(folder / "drawing.pdf"), pagesize=(400, 300), invariant=1)
for step in range(40):
    page.setFillColorRGB(step / 40, 1 - step / 40, 0.5)
    page.circle(150 + step * 5, 120, 110 - step * 2, fill=1)
page.setFillColorRGB(0, 0, 0)
page.setFont("VeraBd", 24)
page.drawString(20, 260, "A drawing of circles")
page.save()
