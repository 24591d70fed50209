#!/usr/bin/env python3
"""Writes the page of the documentation that shows one telling case of each kind, from what compare.py left behind.

    page.py FOLDER > docs/edits-compared.md
"""
import difflib
import json
import re
import sys
from pathlib import Path

import compare
import corpus
import drivers

HEAD = """# Three hundred edits, through each agent's own tool and through lancet

`agents/page.py` makes this page from the results of `cargo xtask compare` (`agents/compare.py`). It has the table, and then one
typical case of each kind, byte by byte.

## The outcome

%s

## How it was done

- **The edits** are generated (`agents/corpus.py`) from a seed. Each replaces one line of a block of three by one or two others; the call
  contains the block, as the tools ask for. The cases differ in how the call deviates from the file, what else the file contains, how it is
  encoded, and what another program did to it after it was read. The generator knows the intended bytes.
- **The agents** are the published npm packages in the versions of the table, headless, each in a fresh home folder, with lancet installed
  by `lancet install AGENT --writes allow`. A scripted model makes the calls; nothing goes to the network.
- **Each edit twice in the same agent**, on two copies of the file: once with the agent's own read and edit tools, once with lancet's Read
  and Edit. Codex and goose have no read tool and use `cat` in their shell. Codex's `apply_patch` gets the same two texts as a patch whose
  context is what they share. Codex offers it to models that it knows, so the model is called `gpt-5.5`.
- **One call, no second try.** A refusal costs a model another call and nothing else. Which refusals help it most is not measured here.
- **The judge compares bytes.** *Right* are exactly the intended bytes, whatever tolerance found the place. *Refused* is the unchanged
  file. Everything else is *damaged*, even if only whitespace differs (counted separately: `~n`), because in some languages indentation
  matters.
- **Ambiguous calls.** If the call does not say which place is meant (several places, a copy inserted before the block), the intended place
  was drawn at random. A tool that takes the first place is then right by chance; the correct answer is a refusal.

The makers of these tools might object, and we agree:

- Gemini CLI can have a model correct an edit that did not fit (`tools.disableLLMCorrection`). That is off by default, and was off here.
- A tool that never asks for a fresh read is right more often if another program changed other lines. lancet, Claude Code
  and Qwen Code refuse there, which costs one more call.
- Two writers at the very same moment are not in this table, because their order cannot be scripted from outside;
  [write-promises.md](write-promises.md) has lancet's own proofs.
- If two places fit and each is off in another way, lancet refuses ([ladder](../scenarios/ladder.md#places-on-several-rungs)), which costs
  one more call; a tool that takes one of them is right by chance.
- lancet was made with such cases in mind, and we wrote the generator. It is short; other cases are welcome.

## One case of each kind

`\\n`, `\\r\\n`, `\\t` and `\\x..` represent the bytes of the file. *Meant* is the file as it should be afterwards.
"""


def visible(line):
    """A line of bytes with what cannot be seen written out."""
    text = line.decode("utf-8", "backslashreplace")
    text = text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")
    text = re.sub("[\u00a0\u0300-\u036f\u2028\ufeff\ufffd\x00-\x1f\x7f]", lambda found: "\\u%04x" % ord(found[0]), text)
    return re.sub(r" (?= *\\[rn])", "\u2423", text)


def lines_of(content):
    return content.split(b"\n") if not content else [line for line in re.split(b"(?<=\n)", content) if line]


def difference(before, after, most=14):
    """The lines that differ, in the manner of a diff."""
    told = []
    for line in difflib.unified_diff([visible(l) for l in lines_of(before)], [visible(l) for l in lines_of(after)], n=1, lineterm=""):
        if not line.startswith(("---", "+++")):
            told.append("@@" if line.startswith("@@") else line)
    told = told[1:] if told[:1] == ["@@"] else told
    return told[:most] + (["… and %d more" % (len(told) - most)] if len(told) > most else [])


def telling(kind, cases, results):
    """The case with the most different outcomes."""
    def variety(case):
        return len({one["now"] for result in results for one in result["seen"] if one["case"] == case.number})
    return max((case for case in cases if case.kind == kind), key=variety)


def show(case, results):
    yield "```text"
    if case.meanwhile != case.content:
        yield "another program, after it was read:"
        yield from ("  " + line for line in difference(case.content, case.meanwhile))
    for name, text in (("old", case.old), ("new", case.new)):
        yield "%s text of the call: %s" % (name, json.dumps(text, ensure_ascii=False))
    if case.meant != case.meanwhile:
        yield "meant:"
        yield from ("  " + line for line in difference(case.meanwhile, case.meant))
    else:
        yield "meant: nothing, the line is no longer what was read"
    yield "```"
    outcomes = {}
    for result in results:
        for one in result["seen"]:
            if one["case"] == case.number:
                name = "lancet" if one["way"] == "lancet" else "%s" % result["agent"]
                outcomes.setdefault((one["verdict"], one["now"]), []).append(name)
    for verdict, word in (("right", "Right"), ("refused", "Refused"), ("blanks", "Damaged"), ("damaged", "Damaged")):
        for (given, now), names in sorted(outcomes.items()):
            if given != verdict:
                continue
            names = list(dict.fromkeys(names))
            if "lancet" in names:
                names = ["**lancet**"] + [name for name in names if name != "lancet"]
            if word != "Damaged":
                yield ""
                yield "%s: %s." % (word, ", ".join(names))
            else:
                yield ""
                yield "%s: %s. Compared with what was meant:" % (word, ", ".join(names))
                yield ""
                yield "```text"
                yield from difference(case.meant, bytes.fromhex(now))
                yield "```"


def main():
    folder = Path(sys.argv[1])
    files = [folder / (kind.name + ".json") for kind in drivers.COMPARED]
    results = [json.loads(file.read_text()) for file in files if file.exists()]
    seed = results[0]["seed"]
    cases = corpus.cases(seed)
    print(HEAD % compare.table(results, cases, seed, results[0]["lancet"]).rstrip())
    group = None
    for here, kind, _count, _make in corpus.KINDS:
        if here != group:
            group = here
            print("### %s\n" % (group[0].upper() + group[1:]))
        print("#### %s\n" % (kind[0].upper() + kind[1:]))
        print("\n".join(show(telling(kind, cases, results), results)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
