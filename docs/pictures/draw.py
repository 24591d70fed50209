#!/usr/bin/env python3
"""Draws the pictures of ARCHITECTURE.md, each for light and for dark pages: draw.py writes them beside itself."""
import os
from html import escape

HERE = os.path.dirname(os.path.abspath(__file__))
THEMES = {
    "light": dict(ink="#1f2328", soft="#59636e", line="#8c959f", box="#f6f8fa", edge="#d1d9e0", accent="#0969da", accent_box="#ddf4ff", warn="#9a6700", warn_box="#fff8c5"),
    "dark": dict(ink="#f0f6fc", soft="#9198a1", line="#6e7681", box="#151b23", edge="#3d444d", accent="#4493f8", accent_box="#121d2f", warn="#d29922", warn_box="#272115"),
}
SANS = "ui-sans-serif, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"


class Sheet:
    def __init__(self, width, height, title, theme):
        self.theme, self.parts = theme, []
        self.head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{escape(title)}">'
            f"<title>{escape(title)}</title>"
            f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
            f'<path d="M0 0 L8 4 L0 8 z" fill="{theme["line"]}"/></marker></defs>'
        )

    def box(self, x, y, w, h, name, lines=(), kind="box"):
        t = self.theme
        fill, edge = {"box": (t["box"], t["edge"]), "accent": (t["accent_box"], t["accent"]), "warn": (t["warn_box"], t["warn"])}[kind]
        self.parts.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" fill="{fill}" stroke="{edge}"/>')
        self.text(x + w / 2, y + (h / 2 + 5 if not lines else 22), name, size=14, weight=600)
        for number, line in enumerate(lines):
            self.text(x + w / 2, y + 40 + 15 * number, line, size=11, tone="soft")

    def text(self, x, y, words, size=12, tone="ink", weight=400, anchor="middle", mono=False):
        self.parts.append(
            f'<text x="{x}" y="{y}" font-family="{MONO if mono else SANS}" font-size="{size}" font-weight="{weight}" fill="{self.theme[tone]}" text-anchor="{anchor}">{escape(words)}</text>'
        )

    def arrow(self, points, dashed=False, both=False):
        path = " L".join(f"{x} {y}" for x, y in points)
        dash = ' stroke-dasharray="4 4"' if dashed else ""
        start = ' marker-start="url(#tip)"' if both else ""
        self.parts.append(f'<path d="M{path}" fill="none" stroke="{self.theme["line"]}" stroke-width="1.4"{dash}{start} marker-end="url(#tip)"/>')

    def save(self, name):
        with open(os.path.join(HERE, name), "w", encoding="utf-8") as out:
            out.write(self.head + "".join(self.parts) + "</svg>\n")


def call(theme):
    """The way of one call through the seven stages."""
    sheet = Sheet(1120, 420, "The way of one call: receive, locate, examine, approve, commit, record, reply", theme)
    for at, (name, line) in enumerate([("Library", "Session::call"), ("MCP", "tools/call"), ("Shell", "lancet edit …")]):
        sheet.box(20, 40 + 66 * at, 120, 54, name, [line])
        sheet.arrow([(140, 67 + 66 * at), (160, 67 + 66 * at), (160, 133), (176, 133)] if at != 1 else [(140, 133), (176, 133)])
    stages = [
        ("receive", ["JSON becomes", "typed arguments"], "box"),
        ("locate", ["a path becomes", "a file in a root"], "box"),
        ("examine", ["read, compare,", "find the place"], "accent"),
        ("approve", ["policy, and", "a person"], "warn"),
        ("commit", ["check again,", "swap"], "accent"),
        ("record", ["history, ledger,", "observers"], "box"),
        ("reply", ["text, data,", "notices"], "box"),
    ]
    gives = ["Call", "Target", "Plan", "Approved", "Committed", "Recorded"]
    for at, (name, lines, kind) in enumerate(stages):
        x = 178 + 133 * at
        sheet.box(x, 96, 104, 76, name, lines, kind)
        if at:
            sheet.arrow([(x - 29, 134), (x - 2, 134)])
            sheet.text(x - 15, 88, gives[at - 1], size=11, tone="soft", mono=True)
    sheet.arrow([(230, 172), (230, 218), (1028, 218), (1028, 174)], dashed=True)
    for at in (1, 2, 3, 4):
        x = 178 + 133 * at + 52
        sheet.arrow([(x, 172), (x, 216)], dashed=True)
    sheet.text(629, 236, "Refusal: a code, what is the case, and the next call; the file is as it was", size=12, tone="soft")
    for x, w, name, lines in [
        (178, 104, "declarations", ["tools, schemas"]),
        (311, 104, "policy", ["rules, names"]),
        (444, 104, "text", ["ladder, splice"]),
        (577, 104, "approver", ["terminal, MCP, …"]),
        (710, 104, "workspace", ["the only way to", "the disk"]),
        (843, 104, "history", ["SQLite, ledgers"]),
    ]:
        sheet.box(x, 286, w, 62 if len(lines) == 1 else 74, name, lines)
        sheet.arrow([(x + w / 2, 284), (x + w / 2, 246)], both=True)
    sheet.text(629, 392, "locate and examine look at the disk through the workspace, too", size=11, tone="soft")
    sheet.text(556, 34, "Each stage takes the value that the stage before it made; nothing is written without an Approved, and there is no Approved without a Plan.", size=12, tone="soft")
    return sheet


def write(theme):
    """How a file is replaced."""
    sheet = Sheet(1120, 400, "How a file is replaced: stage, lock, journal, lease and compare, exchange, look, finish", theme)
    steps = [
        ("stage", ["new bytes into an", "unnamed file, fsync"], "box"),
        ("lock", ["flock of the folder,", "in one order"], "box"),
        ("journal", ["what is about", "to be done"], "box"),
        ("lease, compare", ["nobody writes; bytes", "are those examined"], "accent"),
        ("exchange", ["renameat2 swaps", "the two names"], "accent"),
        ("look", ["what came off is", "what was compared"], "accent"),
        ("finish", ["unlock, fsync folder,", "keep the old file"], "box"),
    ]
    for at, (name, lines, kind) in enumerate(steps):
        x = 20 + 157 * at
        sheet.box(x, 50, 132, 76, name, lines, kind)
        if at:
            sheet.arrow([(x - 25, 88), (x - 2, 88)])
    sheet.text(560, 30, "An exchange destroys nothing: every file that ever had the name is at the name or under lancet's temporary name.", size=12, tone="soft")
    sheet.arrow([(871, 126), (871, 160), (714, 160), (714, 128)], dashed=True)
    sheet.text(792, 178, "something else came off: exchanged back, told as a conflict", size=11, tone="soft")
    sheet.arrow([(557, 126), (557, 206)], dashed=True)
    sheet.text(557, 222, "changed or in use: refused, file untouched", size=11, tone="soft")
    y = 262
    for x, name, at_name, at_temporary in [(60, "before", "old file", "(nothing)"), (330, "staged and linked", "old file", "new file"), (600, "exchanged", "new file", "old file"), (870, "finished", "new file", None)]:
        sheet.text(x + 95, y, name, size=13, weight=600)
        sheet.box(x, y + 14, 190, 34, f"src/main.rs → {at_name}", kind="accent" if at_name == "new file" else "box")
        sheet.box(x, y + 58, 190, 34, f"temporary → {at_temporary}" if at_temporary else "displaced/ → old file")
    for x in (252, 522, 792):
        sheet.arrow([(x, y + 54), (x + 76, y + 54)])
    sheet.text(560, 384, "A process that dies at any point leaves one of these states; the next lancet finds it in the journal and goes back or forward.", size=12, tone="soft")
    return sheet


for name, theme in THEMES.items():
    call(theme).save(f"call-{name}.svg")
    write(theme).save(f"write-{name}.svg")
