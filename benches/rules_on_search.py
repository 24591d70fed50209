#!/usr/bin/env python3
"""What 100 deny rules cost a search of 5,000 files, in instructions that callgrind counts (Linux, Python 3.11, valgrind).

    rules_on_search.py [BINARY]     without one: target/release/lancet

The program's start, which reads the rules, is counted apart (on a folder without files) and taken off. The kernel's part, which
rules do not touch and which is the larger one, callgrind does not see: exit status 1 where the rules add more than 10 % to the
rest. What the figures mean: benches/README.md.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FILES = 5_000
RULES = 100
MOST = 10.0

# Each of the forms that rules have; none denies a file of the tree.
FORMS = [
    "Read(private-{n}/**)",
    "Read(/vault/{n}/**)",
    "Read(*.secret{n})",
    "Read(**/hidden-{n}/*.txt)",
    "Edit(generated-{n}/**)",
    "Read(module_{n}/none/**)",
    "Read(//elsewhere/{n}/**)",
    "Read(~/notes-{n}/**)",
]
QUESTIONS = [
    ("Grep, a word that is in every file", ["grep", "--count", "value_1"]),
    # Not in none: then ignored files are looked into as well, for as long as there is time.
    ("Grep, a word that is in one file", ["grep", "the_only_place"]),
    ("Glob `*.rs`", ["glob", "*.rs"]),
]


def tree(root):
    for number in range(FILES):
        folder = root / ("module_%d" % (number // 100)) / ("part_%d" % (number // 10 % 10))
        folder.mkdir(parents=True, exist_ok=True)
        lines = ["    let value_%d = compute(input[%d], %d);\n" % (line, line, line * 7919 % 104729) for line in range(12)]
        name = "the_only_place" if number == FILES // 2 else "work"
        (folder / ("file_%d.rs" % number)).write_text("fn %s() {\n" % name + "".join(lines) + "}\n", encoding="utf-8")


def count(binary, base, root, rules, question):
    config = base / ("rules-%d.toml" % rules)
    entries = ["\"%s\"" % FORMS[n % len(FORMS)].format(n=n) for n in range(rules)]
    config.write_text("permissions.deny = [%s]\n" % ", ".join(entries), encoding="utf-8")
    where = ["--root", str(root), "--config", str(config), "--state-dir", str(base / "state")]
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", binary, *question, *where]
    environment = {"HOME": str(base), "PATH": os.environ["PATH"]}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=root)
    if run.returncode != 0:
        raise SystemExit("%s\n%s" % (" ".join(command), run.stderr))
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


def main(binary):
    worst = 0.0
    with tempfile.TemporaryDirectory(prefix="lancet-bench-") as base:
        base = Path(base).resolve()
        full, empty = base / "full", base / "empty"
        full.mkdir()
        empty.mkdir()
        tree(full)
        print("| search of %d files | no rules | %d deny rules | more |\n|---|---|---|---|" % (FILES, RULES))
        for name, question in QUESTIONS:
            alone = [
                min(count(binary, base, full, rules, question) for _ in range(2)) - count(binary, base, empty, rules, question)
                for rules in (0, RULES)
            ]
            more = 100.0 * (alone[1] - alone[0]) / alone[0]
            worst = max(worst, more)
            print("| %s | %.1f M | %.1f M | %+.1f %% |" % (name, alone[0] / 1e6, alone[1] / 1e6, more), flush=True)
    return 1 if worst > MOST else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else str(TOP / "target/release/lancet")))
