#!/usr/bin/env python3
"""The same damaged replies through lancet and through the appliers that the registries have: right, refused, damaged.

    benches/appliers/compare.py [BINARY] [--number N] [--seed N] [--by-damage]

Right: every file is what was meant. Refused: every file is as it was. Damaged: anything else, a reply that was carried out in
part included. Of a reply that is cut off it is not known what was meant: there only refused is not damage. What is needed is installed below target/appliers; nothing of it asks a model.
"""

import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from replies import DAMAGES, cases

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
TOOLS = TOP / "target" / "appliers"
AIDER = "0.86.2"
PACKAGES = {"diff": "8", "llm-diff-patcher": "0.2.1", "@openai/agents-core": "0.20.0", "@openai/codex": "0.166.0"}


def install():
    python = TOOLS / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", TOOLS / "venv"], check=True)
    if subprocess.run([python, "-c", "import aider"], capture_output=True).returncode:
        # Its dependencies are clients of model APIs and the terminal: applying needs none of them.
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", f"aider-chat=={AIDER}"], check=True)
    modules = TOOLS / "npm"
    modules.mkdir(parents=True, exist_ok=True)
    if not all((modules / "node_modules" / name).exists() for name in PACKAGES):
        (modules / "package.json").write_text('{"private": true}')
        wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", *wanted], cwd=modules, check=True)
    return python, modules


def worker(command):
    """An applier that is started once and gets one reply a line."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def apply(root, case, reply):
        process.stdin.write(json.dumps({"root": str(root), "dialect": case.dialect, "reply": reply}) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    return apply


def program(command, as_argument=False, home=None):
    """An applier that is started for each reply, which it gets on standard input or as its last argument."""

    def apply(root, case, reply):
        environment = {**os.environ, "HOME": str(home or root.parent), "GIT_CEILING_DIRECTORIES": str(root.parent)}
        words = [str(word).replace("$ROOT", str(root)) for word in command] + ([reply] if as_argument else [])
        done = subprocess.run(words, input=None if as_argument else reply, text=True, cwd=root, env=environment, capture_output=True)
        return {"ok": done.returncode == 0, "why": (done.stderr or done.stdout)[:300]}

    return apply


def appliers(binary):
    python, modules = install()
    codex = next(modules.glob("node_modules/@openai/codex-*/vendor/*/bin/codex"), None)
    node = lambda name: worker(["node", HERE / "node_appliers.cjs", modules, name])
    lancet = program([binary, "apply", "-", "--root", "$ROOT", "--state-dir", "$ROOT/../state", "--yes"])
    aider = worker([python, HERE / "aider_applier.py"])
    fenced = lambda reply: f"```diff\n{reply}```\n"
    plain = lambda reply: reply
    yield "lancet", "search-replace", lancet, plain
    yield f"aider-chat {AIDER}, `diff`", "search-replace", aider, plain
    yield "lancet", "v4a", lancet, plain
    yield f"aider-chat {AIDER}, `patch`", "v4a", aider, plain
    if codex:
        yield f"@openai/codex {PACKAGES['@openai/codex']}", "v4a", program([codex, "--codex-run-as-apply-patch"], True), plain
    yield f"@openai/agents-core {PACKAGES['@openai/agents-core']}", "v4a", node("agents"), plain
    yield "lancet", "unified", lancet, plain
    yield f"aider-chat {AIDER}, `udiff`", "unified", aider, fenced
    yield "GNU patch", "unified", program(["patch", "-p1", "--batch", "--no-backup-if-mismatch", "--reject-file=-"]), plain
    yield "git apply", "unified", program(["git", "apply", "-"]), plain
    yield "diff (npm)", "unified", node("diff"), plain
    yield f"llm-diff-patcher {PACKAGES['llm-diff-patcher']}", "unified", node("fuzzy"), plain


def tree(root):
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def judged(apply, wrap, case, ground):
    root = ground / "root"
    shutil.rmtree(root, ignore_errors=True)
    for name, text in case.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    answer = apply(root, case, wrap(case.reply))
    found = tree(root)
    if found == {name: text.encode() for name, text in case.files.items()}:
        return "refused", answer
    meant = case.meant and {name: text.encode() for name, text in case.meant.items()}
    return ("right" if found == meant else "damaged"), answer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", default=TOP / "target" / "release" / "lancet")
    parser.add_argument("--number", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--only", default="", help="appliers whose name has this in it")
    parser.add_argument("--dialect", default="", help="this format alone")
    parser.add_argument("--by-damage", action="store_true")
    parser.add_argument("--show", default="", help="print the replies that an applier damaged, of this kind of damage")
    arguments = parser.parse_args()
    replies = cases(arguments.seed, arguments.number)
    table = []
    with tempfile.TemporaryDirectory() as ground:
        for name, dialect, apply, wrap in appliers(Path(arguments.binary).resolve()):
            if arguments.only not in name or arguments.dialect not in dialect:
                continue
            counts, by_damage = collections.Counter(), collections.defaultdict(collections.Counter)
            for case in (case for case in replies if case.dialect == dialect):
                result, answer = judged(apply, wrap, case, Path(ground))
                counts[result] += 1
                by_damage[case.damage][result] += 1
                if arguments.show == case.damage and result == "damaged":
                    print(case.reply, answer, sep="\n")
            table.append((dialect, name, counts, by_damage))
            print(f"{dialect}, {name}: {dict(counts)}", file=sys.stderr)
    print("| format | applier | right | refused | damaged |\n|---|---|---|---|---|")
    for dialect, name, counts, _ in table:
        print(f"| {dialect} | {name} | {counts['right']} | {counts['refused']} | {counts['damaged']} |")
    if arguments.by_damage:
        for dialect, name, _, by_damage in table:
            print(f"\n{dialect}, {name}: right/refused/damaged")
            for damage in DAMAGES:
                counts = by_damage[damage]
                print(f"  {damage}: {counts['right']}/{counts['refused']}/{counts['damaged']}")


if __name__ == "__main__":
    main()
