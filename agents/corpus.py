"""Three hundred edits as models send them, with the bytes that were meant: the same for every tool and every run of a seed.

Each case is a file, one call (the old text and the new) and the bytes that the file should have afterwards. The change itself is
always plain: one line of a block of three is replaced, sometimes by two. What makes the case is how the old text is off, what
else stands in the file, how the file is written, or what somebody did to it after it was read.
"""
import random
import unicodedata
from dataclasses import dataclass

SEED = 20261117

NOUNS = ("account archive basket branch buffer bundle cache cell channel column cursor device digest draft edge entry filter "
         "folder frame garden grid handle header index invoice journal key label layer ledger letter list market matrix meter "
         "node notice order packet page panel parcel path pixel plan policy pool port queue range record region report ring "
         "route row sample schema score segment sensor shelf signal socket source stage station stream switch table target "
         "ticket timer token track tunnel vector vendor view volume wallet window worker zone").split()
VERBS = "add apply build check close copy count draw fetch find flush join load mark merge move open parse pick plan push read scan send sort split store sum test trim".split()


@dataclass
class Case:
    number: int
    kind: str
    name: str  # of the file
    content: bytes  # when it is read
    meanwhile: bytes  # when the call comes: the same unless somebody wrote
    old: str
    new: str
    meant: bytes
    determined: bool  # whether the call says which place is meant; where not, only a refusal can be right on purpose


class Text:
    """A file of generated code: lines with their endings."""

    def __init__(self, rng, unit="    ", functions=6):
        self.rng, self.lines, self.blocks = rng, [], []
        nouns = rng.sample(NOUNS, functions * 3)
        for at in range(functions):
            verb, noun, other, third = rng.choice(VERBS), *nouns[at * 3:at * 3 + 3]
            number = rng.randrange(10, 90)
            self.lines += [
                "def %s_%s(%s):" % (verb, noun, other),
                unit + "# The %s of a %s, \"as it was\" & with its %s." % (noun, other, third),
                unit + "%s = %s.%s(%s, %d)" % (third, noun, verb, other, number),
            ]
            self.blocks.append(len(self.lines))  # the line in the middle of the block to change
            self.lines += [
                unit + "if %s < \"%s\":" % (third, other),
                unit * 2 + "return %s_%d(%s)" % (noun, number, third),
                unit + "return None",
                "",
            ]
        self.ends = ["\n"] * len(self.lines)
        self.at = rng.choice(self.blocks[1:-1])

    def changed(self, line):
        """The new form of the line to change: one word of it is another."""
        return line.replace("if ", "while ", 1).replace("\":", "-new\":", 1)

    def added(self):
        line = self.lines[self.at]
        return line[:len(line) - len(line.lstrip())] + "    log(\"%s\")" % self.rng.choice(NOUNS)

    def encode(self, encoding="utf-8", lines=None, ends=None):
        return "".join(a + b for a, b in zip(lines or self.lines, ends or self.ends)).encode(encoding)


def simple(rng, add=None, prepare=None, call=None, encoding="utf-8", mark=b"", unit="    ", meanwhile=None, determined=True):
    """A case: `prepare` changes the file before it is read, `call` the old and new text, `meanwhile` the file before the call."""
    text = Text(rng, unit)
    if prepare:
        prepare(text)
    at = text.at
    replacement = [text.changed(text.lines[at])]
    if rng.random() < 0.4 if add is None else add:
        replacement.append(text.added())
    old, new = text.lines[at - 1:at + 2], [text.lines[at - 1], *replacement, text.lines[at + 1]]
    content = mark + text.encode(encoding)

    def result(lines, ends, place):
        # The change is meant as the line stands then, in the indentation that it has then.
        replacement[0] = text.changed(lines[place])
        end = ends[place]
        # The last of the new lines has the ending of the line that they replace; those before it end like its neighbours.
        inner = end or "\n"
        return mark + text.encode(encoding, lines[:place] + replacement + lines[place + 1:],
                                  ends[:place] + [inner] * (len(replacement) - 1) + [end] + ends[place + 1:])

    then, lines, ends, place = content, text.lines, text.ends, at
    sent = list(new)
    if meanwhile:
        lines, ends, place = meanwhile(text, list(text.lines), list(text.ends))
        then = mark + text.encode(encoding, lines, ends)
    meant = result(lines, ends, place) if place is not None else then
    if call:
        old, sent = call(old, sent, text)
    return content, then, "\n".join(old), "\n".join(sent), meant, determined


def indent(line):
    return line[:len(line) - len(line.lstrip(" \t"))]


def each(change):
    """A slip that every line of the call has."""
    return lambda old, new, text: ([change(line) for line in old], [change(line) for line in new])


# How the old text is off.

def blanks_in_file(rng):
    def prepare(text):
        for place in (text.at - 1, text.at + 1):
            text.lines[place] += " " * rng.randrange(1, 4)
    return simple(rng, prepare=prepare, call=each(str.rstrip))


def blanks_in_call(rng):
    def call(old, new, text):
        tail = " " * rng.randrange(1, 4)
        return [old[0] + tail, *old[1:]], [new[0] + tail, *new[1:]]
    return simple(rng, call=call)


def spaces_for_tabs(rng):
    return simple(rng, unit="\t", add=False, call=each(lambda line: line.replace("\t", "    ")))


def tabs_for_spaces(rng):
    return simple(rng, add=False, call=each(lambda line: line.replace("    ", "\t")))


def level_off(rng):
    deeper = rng.random() < 0.5
    return simple(rng, call=each(lambda line: "    " + line if deeper else line.removeprefix("    ")))


def first_indent(rng):
    return simple(rng, call=lambda old, new, text: ([old[0].lstrip(), *old[1:]], [new[0].lstrip(), *new[1:]]))


def straight_quotes(rng):
    def prepare(text):
        for place in (text.at - 1, text.at):
            text.lines[place] += "  # “%s” isn’t here".replace("'", "’") % rng.choice(NOUNS)
    straight = str.maketrans("“”‘’", "\"\"''")
    return simple(rng, add=False, prepare=prepare, call=each(lambda line: line.translate(straight)))


def typography(rng):
    real, plain = rng.choice([("\u2013", "-"), ("\u2014", "-"), ("\u2026", "..."), ("\u00a0", " ")])

    def prepare(text):
        for place in (text.at - 1, text.at):
            text.lines[place] += "  # pages 3%s9" % real
    return simple(rng, add=False, prepare=prepare, call=each(lambda line: line.replace(real, plain)))


def accents(rng):
    forms = ["NFC", "NFD"]
    rng.shuffle(forms)

    def prepare(text):
        for place in (text.at - 1, text.at):
            text.lines[place] += unicodedata.normalize(forms[0], "  # café, naïve, Zürich")
    return simple(rng, add=False, prepare=prepare, call=each(lambda line: unicodedata.normalize(forms[1], line)))


def line_numbers(rng):
    form = rng.choice(["%6d\t%s", "%d\u2192%s", "%d: %s", "%5d\u2192%s"])

    def call(old, new, text):
        return [[form % (text.at + n, line) for n, line in enumerate(lines)] for lines in (old, new)]
    return simple(rng, call=call)


def escaped(rng):
    pairs = rng.choice([[("\"", "\\\"")], [("&", "&amp;"), ("<", "&lt;"), ("\"", "&quot;")], [("<", "&lt;")]])

    def change(line):
        for real, written in pairs:
            line = line.replace(real, written)
        return line
    return simple(rng, add=False, call=each(change))


def blank_line(rng):
    def prepare(text):
        if in_file:
            text.lines.insert(text.at + 1, "")
            text.ends.insert(text.at + 1, "\n")

    def call(old, new, text):
        if in_file:
            follow = text.lines[text.at + 2]
            return old[:2] + [follow], new[:-1] + [follow]
        return old[:2] + ["", old[2]], new[:-1] + ["", new[-1]]
    in_file = rng.random() < 0.5
    return simple(rng, prepare=prepare, call=call)


def other_word(rng):
    def call(old, new, text):
        words = old[0].split("(", 1)
        wrong = words[0] + "_all(" + words[1]
        return [wrong, *old[1:]], [wrong, *new[1:]]
    return simple(rng, call=call)


# Several places that could be meant.

def duplicates(rng):
    def prepare(text):
        block = text.lines[text.at - 3:text.at + 4]
        copies = rng.randrange(2, 5)
        for copy in range(1, copies):
            body = list(block)
            body[0] = "def again_%d():" % copy
            text.lines += body
            text.ends += ["\n"] * len(body)
        starts = [n for n, line in enumerate(text.lines) if line == block[3]]
        text.at = rng.choice(starts)
    return simple(rng, prepare=prepare, determined=False)


def two_slips(rng):
    def prepare(text):
        block = text.lines[text.at - 3:text.at + 4]
        copy = [line.replace("    ", "\t") for line in block]
        copy[0] = "def again():"
        for place in (text.at - 1, text.at + 1):
            text.lines[place] += "  "
        first = rng.random() < 0.5
        meant = text.at
        if first:
            text.lines[0:0] = copy
            text.ends[0:0] = ["\n"] * len(copy)
            meant += len(copy)
            other = 3
        else:
            other = len(text.lines) + 3
            text.lines += copy
            text.ends += ["\n"] * len(copy)
        text.at = rng.choice([meant, other])

    def call(old, new, text):
        return [[line.rstrip().replace("\t", "    ") for line in lines] for lines in (old, new)]
    return simple(rng, add=False, prepare=prepare, call=call, determined=False)


def near_twins(rng):
    def prepare(text):
        block = text.lines[text.at - 3:text.at + 4]
        copy = [line.replace(" = ", "_b = ", 1) if n == 2 else line for n, line in enumerate(block)]
        copy[0] = "def again():"
        text.lines += copy
        text.ends += ["\n"] * len(copy)
        text.at = rng.choice([text.at, len(text.lines) - 4])

    def call(old, new, text):
        wrong = old[0].replace("_b = ", " = ").replace(" = ", "_c = ", 1)
        return [wrong, *old[1:]], [wrong, *new[1:]]
    return simple(rng, prepare=prepare, call=call, determined=False)


# How the file is written.

def crlf(rng):
    def prepare(text):
        text.ends = ["\r\n"] * len(text.lines)
    return simple(rng, prepare=prepare)


def mixed_ends(rng):
    def prepare(text):
        text.ends = [rng.choice(["\n", "\r\n"]) for _ in text.lines]
        text.ends[text.at - 1:text.at + 2] = rng.choice([["\n"] * 3, ["\r\n"] * 3, ["\n", "\r\n", "\n"], ["\r\n", "\n", "\r\n"]])
        text.ends[:2] = ["\n", "\r\n"]
    return simple(rng, add=False, prepare=prepare)


def no_last_newline(rng):
    def prepare(text):
        del text.lines[-2:], text.ends[-2:]
        text.at = len(text.lines) - 2
        text.ends[-1] = ""
    return simple(rng, add=False, prepare=prepare)


def dollar(rng):
    words = rng.choice(["$&", "$1 $`", "\\1 \\g<0>", "$$", "%s {0}", "\\n"])

    def prepare(text):
        text.changed = lambda line: line.replace("if ", "while ", 1) + "  # " + words
    return simple(rng, add=False, prepare=prepare)


def legacy(encoding, words, mark=b""):
    def make(rng):
        def prepare(text):
            for place in range(1, len(text.lines), 7):
                if abs(place - text.at) > 2:
                    text.lines[place] += "  # " + rng.choice(words)
        return simple(rng, prepare=prepare, encoding=encoding, mark=mark)
    return make


def stray_byte(rng):
    content, then, old, new, meant, determined = simple(rng)
    line = b"# raw: " + bytes([rng.choice([0x80, 0xC3, 0xE9, 0xFF])]) + b" end\n"
    return line + content, line + then, old, new, line + meant, determined


# What somebody did to the file after it was read.

def elsewhere(rng):
    def meanwhile(text, lines, ends):
        place = rng.choice([n for n, line in enumerate(lines) if line and abs(n - text.at) > 4])
        lines[place] += "  # checked by hand"
        if rng.random() < 0.5:
            lines.insert(0, "# Reviewed.")
            ends.insert(0, "\n")
            return lines, ends, text.at + 1
        return lines, ends, text.at
    return simple(rng, meanwhile=meanwhile)


def same_line(rng):
    def meanwhile(text, lines, ends):
        lines[text.at] = lines[text.at].replace("if ", "if not ", 1)
        return lines, ends, None
    return simple(rng, meanwhile=meanwhile)


def copy_before(rng):
    def meanwhile(text, lines, ends):
        block = ["def first():"] + lines[text.at - 2:text.at + 4]
        # The block that was read gets a blank at a line end, so that the copy alone is the exact text.
        lines[text.at - 1] += " "
        return block + lines, ["\n"] * len(block) + ends, text.at + len(block)
    return simple(rng, meanwhile=meanwhile, determined=False)


def reformatted(rng):
    def meanwhile(text, lines, ends):
        return [line.replace("    ", "\t") for line in lines], ends, text.at
    return simple(rng, add=False, meanwhile=meanwhile)


OFF, PLACES, WRITTEN, MEANWHILE = "the old text is off", "several places", "how the file is written", "written meanwhile"

# (group, kind, how many, generator)
KINDS = [
    ("the old text is right", "exact", 10, simple),
    ("the old text is right", "`$&`, `\\1` and the like in the new text", 5, dollar),
    ("the old text is right", "at the end of a file without a last newline", 5, no_last_newline),
    (OFF, "blanks at line ends, in the file alone", 12, blanks_in_file),
    (OFF, "blanks at line ends, in the call alone", 8, blanks_in_call),
    (OFF, "spaces for tabs", 12, spaces_for_tabs),
    (OFF, "tabs for spaces", 8, tabs_for_spaces),
    (OFF, "indentation one level off", 12, level_off),
    (OFF, "first line without its indentation", 8, first_indent),
    (OFF, "straight quotes for curly ones", 12, straight_quotes),
    (OFF, "plain dashes, dots, spaces for typographic ones", 12, typography),
    (OFF, "accents composed otherwise", 8, accents),
    (OFF, "line numbers copied along", 12, line_numbers),
    (OFF, "escaped once too often", 12, escaped),
    (OFF, "a blank line more or less", 8, blank_line),
    (OFF, "a word remembered wrongly", 8, other_word),
    (PLACES, "the same text two to four times", 20, duplicates),
    (PLACES, "two places, each off in another way", 12, two_slips),
    (PLACES, "two places, each with another word", 12, near_twins),
    (WRITTEN, "CRLF", 10, crlf),
    (WRITTEN, "LF and CRLF mixed", 20, mixed_ends),
    (WRITTEN, "windows-1252", 8, legacy("cp1252", ["naïve café", "Größe über", "señor está aquí", "déjà vu, où"])),
    (WRITTEN, "Shift_JIS", 8, legacy("shift_jis", ["日本語の表示です", "設定ファイル", "ソースの能力", "データを保存する"])),
    (WRITTEN, "UTF-16 with its mark", 8, legacy("utf-16-le", ["naïve café", "日本語の表示です", "plain"], b"\xff\xfe")),
    (WRITTEN, "UTF-8 with its mark", 8, legacy("utf-8", ["naïve café", "plain"], b"\xef\xbb\xbf")),
    (WRITTEN, "UTF-8 with a stray byte", 8, stray_byte),
    (MEANWHILE, "other lines changed", 14, elsewhere),
    (MEANWHILE, "the same line changed", 6, same_line),
    (MEANWHILE, "a copy of the block put before it", 8, copy_before),
    (MEANWHILE, "tabs for spaces, by a formatter", 6, reformatted),
]


def cases(seed=SEED):
    made = []
    for _group, kind, count, make in KINDS:
        for number in range(count):
            rng = random.Random("%d %s %d" % (seed, kind, number))
            content, then, old, new, meant, determined = make(rng)
            name = "case_%03d.py" % (len(made) + 1)
            made.append(Case(len(made) + 1, kind, name, content, then, old, new, meant, determined))
    return made


def group_of(kind):
    return next(group for group, name, _count, _make in KINDS if name == kind)
