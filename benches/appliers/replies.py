"""A thousand damaged replies: files, the edit that was meant, and the reply that a model wrote for it, with one thing wrong.

Everything follows from the seed, so that every applier gets the same replies.
"""

import random

NOUNS = "order item user token cache batch route entry price stock queue frame".split()
VERBS = "load store check merge count parse drop send fetch close".split()


class Case:
    def __init__(self, dialect, damage, files, meant, reply):
        self.dialect, self.damage, self.files, self.meant, self.reply = dialect, damage, files, meant, reply


def function(rng, verb, noun):
    lines = [
        f"def {verb}_{noun}({noun}, limit={rng.randrange(1, 90)}):",
        f'    """{verb.capitalize()} one {noun}."""',
        f"    value = lookup({noun}, {rng.randrange(1, 9)})",
        "    if value is None:",
        "        return None",
    ]
    if rng.random() < 0.6:
        lines.append(f'    log.info("{verb} {noun}: %s", value)')
    if rng.random() < 0.5:
        lines += ["    for part in value:", f"        total += part.{rng.choice(NOUNS)}", "        count += 1"]
    lines += ["    return value", "", ""]
    return lines


def module(rng):
    names = [(verb, noun) for verb in VERBS for noun in NOUNS]
    lines = ["import log", "from base import lookup", "", ""]
    for verb, noun in rng.sample(names, rng.randrange(5, 11)):
        lines += function(rng, verb, noun)
    return lines[:-2]


def changes(rng, lines):
    """One to three edits of different functions, as (start, end, new lines), from above to below."""
    heads = [at for at, line in enumerate(lines) if line.startswith("def ")]
    found = []
    for head in sorted(rng.sample(heads, min(len(heads), rng.choice([1, 1, 2, 3])))):
        kind = rng.randrange(4)
        at = head + 2
        if kind == 0:
            found.append((at, at + 1, [lines[at].replace("lookup(", "lookup_all(")]))
        elif kind == 1:
            found.append((at + 1, at + 1, ["    value = clean(value)"]))
        elif kind == 2:
            found.append((at + 1, at + 3, ["    if not value:", "        return []"]))
        else:
            found.append((head, head + 1, [lines[head].replace("limit=", "most=")]))
    return found


def hunks_of(rng, lines, edits):
    """Each edit with two or three lines around it: (first line from 0, [(sign, text)])."""
    hunks, context = [], rng.choice([2, 3])
    for start, end, new in edits:
        first, last = max(0, start - context), min(len(lines), end + context)
        body = [(" ", line) for line in lines[first:start]]
        body += [("-", line) for line in lines[start:end]] + [("+", line) for line in new]
        body += [(" ", line) for line in lines[end:last]]
        hunks.append((first, body))
    return hunks


def applied(lines, edits):
    result = list(lines)
    for start, end, new in reversed(edits):
        result[start:end] = new
    return result


def olds(body):
    return [at for at, (sign, _) in enumerate(body) if sign != "+"]


def reword(text):
    for one, other in (("value", "values"), ("return", "returns"), ("def ", "def my_"), ("import", "imports"), ("log", "logs"), ('"""', '""" ')):
        if one in text:
            return text.replace(one, other, 1)
    return text + " # note"


def damaged_hunk(rng, damage, body):
    """One hunk with something wrong in it."""
    body = list(body)
    at = rng.choice(olds(body))
    sign, text = body[at]
    contexts = [at for at, (sign, _) in enumerate(body) if sign == " "]
    if damage == "trailing blanks":
        body[at] = (sign, text + rng.choice([" ", "  ", "\t"]))
    elif damage == "indentation":
        width = rng.choice([2, 4])
        body = [(sign, " " * width + text if text else text) for sign, text in body]
    elif damage == "tabs":
        body = [(sign, text.replace("    ", "\t")) for sign, text in body]
    elif damage == "reworded line":
        body[at] = (sign, reword(text))
    elif damage == "line left out" and len(contexts) > 1:
        del body[rng.choice(contexts)]
    elif damage == "line made up" and contexts:
        body.insert(rng.choice(contexts), (" ", "    state = prepare(state)"))
    elif damage == "curly quotes":
        body = [(sign, text.replace('"""', "\u201c\u201d\u201d").replace('"', "\u201d")) for sign, text in body]
    elif damage == "too little context":
        kept = [at for at, (sign, _) in enumerate(body) if sign != " "]
        if body[kept[0]][0] == "+" and kept[0] > 0:
            kept = [kept[0] - 1, *kept]
        body = [body[at] for at in kept]
    return body


def search_replace(path, hunks, damage, rng):
    out = []
    for first, body in hunks:
        old = [text for sign, text in body if sign != "+"]
        new = [text for sign, text in body if sign != "-"]
        if damage == "line numbers":
            old = [f"{first + 1 + at:4} | {text}" for at, text in enumerate(old)]
        out += [path, "```python", "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE", "```", ""]
    return out


def v4a(path, hunks, damage, rng):
    out = ["*** Begin Patch", f"*** Update File: {path}"]
    for first, body in hunks:
        out.append(f"@@ -{first + 4},9 +{first + 6},9 @@" if damage == "line numbers" else "@@")
        out += [sign + text for sign, text in body]
    return [*out, "*** End Patch"]


def unified(path, hunks, damage, rng):
    out, moved = [f"--- a/{path}", f"+++ b/{path}"], 0
    for first, body in hunks:
        old = sum(sign != "+" for sign, _ in body)
        new = sum(sign != "-" for sign, _ in body)
        wrong = rng.choice([-7, 5, 12, 40]) if damage == "line numbers" else 0
        out.append(f"@@ -{max(1, first + 1 + wrong)},{old} +{max(1, first + 1 + moved + wrong)},{new} @@")
        out += [sign + text for sign, text in body]
        moved += new - old
    return out


DIALECTS = {"search-replace": search_replace, "v4a": v4a, "unified": unified}
DAMAGES = [
    "none", "trailing blanks", "indentation", "tabs", "reworded line", "line left out", "line made up", "curly quotes",
    "too little context", "line numbers", "cut off", "wrong path", "file has moved on", "a twin above", "CRLF file",
    "no final newline", "one bad hunk of several",
]


def case(rng, dialect, damage):
    lines = module(rng)
    edits = changes(rng, lines)
    while damage == "one bad hunk of several" and len(edits) < 2:
        edits = changes(rng, lines)
    hunks = hunks_of(rng, lines, edits)
    if damage == "one bad hunk of several":
        which = rng.randrange(1, len(hunks))
        hunks[which] = (hunks[which][0], damaged_hunk(rng, "reworded line", hunks[which][1]))
    else:
        which = rng.randrange(len(hunks))
        hunks[which] = (hunks[which][0], damaged_hunk(rng, damage, hunks[which][1]))
    path, other = f"src/{rng.choice(NOUNS)}.py", f"src/{rng.choice(VERBS)}.py"
    reply = DIALECTS[dialect](path, hunks, damage, rng)
    above = []
    if damage == "file has moved on":
        above = [f"# note {number}" for number in range(rng.randrange(2, 30))]
    elif damage == "a twin above":
        # Somebody has meanwhile put a copy of the first function's end above everything.
        head = edits[0][0]
        above = lines[max(0, head - 3):head + 6]
    current, meant = above + lines, above + applied(lines, edits)
    if damage == "cut off":
        reply = reply[:len(reply) - rng.randrange(2, 6)]
        meant = None
    if damage == "wrong path":
        reply = [line.replace(path, path.replace(".py", "s.py")) for line in reply]
    newline = "\r\n" if damage == "CRLF file" else "\n"
    end = "" if damage == "no final newline" else newline
    files = {path: newline.join(current) + end, other: newline.join(module(rng)) + newline}
    result = None if meant is None else {**files, path: newline.join(meant) + end}
    return Case(dialect, damage, files, result, "\n".join(reply) + "\n")


def cases(seed, number):
    rng = random.Random(seed)
    names = list(DIALECTS)
    return [case(rng, names[at % len(names)], DAMAGES[at // len(names) % len(DAMAGES)]) for at in range(number)]
