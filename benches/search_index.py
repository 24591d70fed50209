#!/usr/bin/env python3
"""The resident index beside the `rg` process, in one run over stdio MCP (Linux, Python 3.11, no packages).

    benches/search_index.py TREE [--linux TREE] [--only-as-used]

TREE has at least 50,000 files whose text fits the budget; `benches/trees.py` makes both trees. The first table is search as people have it:
default settings, each question asked once after other work and a pause, medians over several rounds; `--only-as-used` prints that table alone.
The tables after it are the least times of calls in a row, by setting. The questions are made from words of the tree, so that a rare one has about 26 lines and a common one about 25,000. Every answer is compared with rg's own lines, page by page to
its end. What the figures mean and what they must reach: benches/README.md, "The resident index". `--quick` is to see that the script works.
"""

import argparse
import fnmatch
import json
import math
import os
import random
import re
import select
import shutil
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PROTOCOL = "2025-06-18"
MEBI = 1 << 20
BUDGET = 256 * MEBI
# What must be reached.
LEAST = {"rare": 500, "absent": 500, "first": 100, "selective": 30, "no literal": 1.5, "all": 0.9}
LEAST_MEAN, LEAST_MEAN_OF_SIGNATURES, LEAST_OF_GLOB, LEAST_ON_LINUX = 50, 10, 300, 100
MOST_OVER_BUDGET, MOST_OF_TEXT, MOST_RG_RUNS, MOST_WHILE_BUILT = 32 * MEBI, 0.10, 6, 1.1

# The same for search as people have it: medians with default settings, after other work and a pause.
LEAST_AS_USED = {"rare": 200, "absent": 200, "glob": 150, "multiline": 20}
LEAST_MEAN_AS_USED = 40
# What an agent thinks between two calls, at least.
PAUSE = 0.3

# An agent asks several questions in a row. The first of a row comes after an rg run, which has taken lancet's pages out of the caches.
IN_A_ROW = 5

missed = []


def hold(name, held):
    """Takes note of a target that is missed."""
    if not held:
        missed.append(name)
    return "" if held else ": **missed**"


class Lancet:
    """One `lancet mcp` with a state folder and settings of its own, or with a state folder that is given. `before` is a program that starts it."""

    def __init__(self, program, tree, settings, state=None, before=(), data="full"):
        self.home = Path(tempfile.mkdtemp(prefix="lancet-index-"))
        self.state = state or self.home / "state"
        config = self.home / "bench.toml"
        config.write_text(settings)
        environment = dict(os.environ, HOME=str(self.home), XDG_CONFIG_HOME=str(self.home), XDG_STATE_HOME=str(self.home))
        environment.pop("LANCET_STATE_DIR", None)
        command = [*before, program, "mcp", "--root", str(tree), "--state-dir", str(self.state), "--config", str(config)]
        command += ["--data", data] if data else []
        self.errors = self.home / "errors"
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=tree, env=environment
            )
        self.id, self.rest = 0, b""
        hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.request("initialize", hello)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def line(self, end):
        while b"\n" not in self.rest:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("no answer")
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                raise SystemExit(f"the server ended: {self.errors.read_text()[-2000:]}")
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def request(self, method, params, patience=120):
        """The answer, and the milliseconds until its last byte was there; reading it as JSON is not counted."""
        self.id += 1
        message = json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}).encode() + b"\n"
        end = time.monotonic() + patience
        began = time.perf_counter()
        self.process.stdin.write(message)
        self.process.stdin.flush()
        while True:
            line = self.line(end)
            taken = (time.perf_counter() - began) * 1e3
            answer = json.loads(line)
            if answer.get("id") == self.id and "method" not in answer:
                return answer, taken
            if "method" in answer and "id" in answer:
                self.send({"id": answer["id"], "error": {"code": -32601, "message": "not here"}})

    def call(self, tool, arguments):
        answer, taken = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "result" not in answer or answer["result"].get("isError"):
            raise SystemExit(f"{tool} {arguments}: {json.dumps(answer)[:400]}")
        return answer["result"]["_meta"]["lancet/result"], answer["result"]["content"][0]["text"], taken

    def status(self):
        """What this process tells of its index: the word, and its figures."""
        for file in (self.state / "search").glob("*.json"):
            try:
                note = json.loads(file.read_text())
            except (OSError, ValueError):
                continue
            for index in note["indexes"] if note["process"] == self.process.pid else []:
                return index["residency"], index.get("facts") or {}, index.get("why")
        return "none", {}, None

    def until_resident(self, want_contents, patience=300):
        """Searches until the index is being built, and waits until it is there. The figures of the index."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            word, facts, _ = self.status()
            if word == "resident" and (facts["contents"] > 0 or not want_contents):
                return facts
            # The thread that builds it has the lowest priority: searches meanwhile would be in its figure.
            if word != "building":
                self.call("Grep", {"pattern": "zqxjk_absent_word"})
            time.sleep(0.1)
        raise SystemExit(f"the index is not resident after {patience} s: {self.status()}")

    def memory(self, field):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
        return 0

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


class Ripgrep:
    """The `rg` process, with the flags under which it is the judge."""

    def __init__(self, program, tree):
        self.base, self.tree = [program, "--no-config", "--no-require-git"], tree

    def lines(self, arguments):
        found = subprocess.run([*self.base, *arguments], cwd=self.tree, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        return found.stdout.decode("utf-8", "replace").split("\n")[:-1]

    def timed(self, arguments):
        began = time.perf_counter()
        subprocess.run([*self.base, *arguments], cwd=self.tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        return (time.perf_counter() - began) * 1e3

    def count(self, pattern, *flags):
        return sum(int(line.rsplit(":", 1)[1]) for line in self.lines(["-c", "-H", *flags, "-e", pattern]))


def words_of(rg, sample):
    """Words with about so many lines each as the questions need; the exact numbers are rg's."""
    files = sorted(rg.lines(["--files"]))
    random.Random(22).shuffle(files)
    files = sorted(files[: max(1, len(files) // sample)])
    texts = []
    for name in files:
        data = (rg.tree / name).read_bytes()
        if b"\0" not in data:
            texts.append(data.decode("utf-8", "replace"))
    lines = Counter()
    for text in texts:
        for line in text.split("\n"):
            lines.update(set(re.findall(r"[A-Za-z_][A-Za-z0-9_]{2,}", line)))

    def near(wanted, least, tries, fits=lambda word: True):
        """The word whose number of lines is nearest to the wanted one."""
        guess = sorted(
            (word for word in lines if len(word) >= least and fits(word)),
            key=lambda word: (abs(math.log(max(lines[word], 0.5) * sample / wanted)), word),
        )
        best = None
        for word in guess[:tries]:
            number = rg.count(word, "-F")
            if best is None or abs(math.log(max(number, 0.5) / wanted)) < abs(math.log(max(best[1], 0.5) / wanted)):
                best = (word, number)
            if abs(number - wanted) <= wanted * 0.15:
                break
        return best

    lower = str.islower
    chosen = {
        "rare": near(26, 9, 60),
        "common": near(25_000, 4, 12),
        "word": near(11_000, 4, 12, lower),
        "middle": near(150, 7, 40),
        "folded": near(120, 7, 40, lower),
        "short": near(300, 3, 200, lambda word: len(word) == 3),
        "one": near(40, 8, 40, lambda word: word[0] in "abcdefgh"),
        "two": near(40, 8, 40, lambda word: word[0] in "ijklmnop"),
        "three": near(40, 8, 40, lambda word: word[0] in "qrstuvwxyz"),
    }
    tails = Counter(match for text in texts for match in re.findall(r"\b(int|void|fn|def) \w+_([a-z]{4,})\b", text))
    chosen["kind"], chosen["tail"] = min(tails or [("int", "init")], key=lambda pair: (abs(tails[pair] * sample - 500), pair))
    heads = Counter(match for text in texts for match in re.findall(r"\bstruct ([a-z]{3,})_\w+", text))
    chosen["head"] = min(heads or ["device"], key=lambda head: (abs(heads[head] * sample - 2_000), head))
    return chosen


def questions(words):
    """Name, kind (which target), arguments of Grep, arguments of rg: the eighteen."""
    (rare, _), (common, _), (word, _), (middle, _), (folded, _) = (words[name] for name in ("rare", "common", "word", "middle", "folded"))
    short = words["short"][0]
    three = "|".join(words[name][0] for name in ("one", "two", "three"))
    bounded = rf"\b{word}\b"
    struct = rf"(struct|enum|union) {words['head']}\w*"
    function = rf"{words['kind']} \w+_{words['tail']}"
    spans = rf"{middle}[^\n]*\n\s*\w+"
    none = "[A-Z]{6,}_[0-9]{3,}"

    def content(pattern, **more):
        return {"pattern": pattern, "output_mode": "content", **more}

    return [
        ("rare literal", "rare", content(rare), ["-n", rare]),
        ("absent literal", "absent", content("zqxjk_absent_word"), ["-n", "zqxjk_absent_word"]),
        ("common literal, all", "all", content(common, head_limit=0), ["-n", common]),
        ("common literal, first 250", "first", content(common), ["-n", common]),
        ("alternation of 3 names", "selective", content(three), ["-n", three]),
        (f"`{struct}`", "all", content(struct), ["-n", struct]),
        (f"`{function}`", "all", content(function), ["-n", function]),
        ("-i literal", "selective", content(folded, **{"-i": True}), ["-n", "-i", folded]),
        ("word, all", "all", content(bounded, head_limit=0), ["-n", bounded]),
        ("word, first 250", "first", content(bounded), ["-n", bounded]),
        ("multiline", "selective", content(spans, multiline=True), ["-n", "-U", "--multiline-dotall", spans]),
        ("count", "all", {"pattern": common, "output_mode": "count"}, ["-c", common]),
        ("files", "all", {"pattern": word, "output_mode": "files_with_matches"}, ["-l", word]),
        ("-C 3, all", "selective", content(middle, head_limit=0, **{"-C": 3}), ["-n", "-C3", middle]),
        ("-C 3, first 250", "selective", content(middle, **{"-C": 3}), ["-n", "-C3", middle]),
        (f"no literal `{none}`", "no literal", content(none, head_limit=0), ["-n", none]),
        ("3-byte literal", "all", content(short), ["-n", short]),
        ("no literal, first 250", "no literal", content(none), ["-n", none]),
    ]


KEYS = (".pem", ".key")
SHOWN = re.compile(r"^\[lancet: (?:matches|match|files|file) ([\d,]+)(?:-([\d,]+))? of (?:at least )?([\d,]+)")
NUMBERED = re.compile(r"^(\d+)([:-])(.*)$", re.S)


def entries(text, mode):
    """The entries of one page, and the number of the last one."""
    last, found, path = 0, [], None
    for line in text.split("\n"):
        if line.startswith("[lancet: "):
            if shown := SHOWN.match(line):
                last = int((shown[2] or shown[1]).replace(",", ""))
        elif mode != "content":
            if line:
                found.append(line)
        elif numbered := path and NUMBERED.match(line):
            found.append((path, int(numbered[1]), numbered[2], numbered[3]))
        elif line == "":
            path = None
        elif line != "--":
            path = line
    return found, last


def judged(rg, arguments, flags):
    """What rg finds, in the form of `entries`; without the keys that lancet's policy withholds."""
    mode = arguments.get("output_mode", "files_with_matches")
    if mode != "content":
        return [line for line in rg.lines(["-H", *flags]) if not line.split(":")[0].endswith(KEYS)]
    found = []
    for line in rg.lines(["-H", "--null", "--no-heading", *flags]):
        if "\0" in line:
            path, rest = line.split("\0", 1)
            if path.endswith(KEYS):
                continue
            numbered = NUMBERED.match(rest)
            found.append((path, int(numbered[1]), numbered[2], numbered[3]))
    return found


def whole(server, arguments):
    """All pages of an answer, and its totals."""
    mode = arguments.get("output_mode", "files_with_matches")
    every, offset, totals = [], 0, None
    while True:
        data, text, _ = server.call("Grep", {**arguments, "head_limit": 0, "offset": offset})
        totals = totals or data
        found, last = entries(text, mode)
        every += found
        if not data["truncated"] or last <= offset:
            return every, totals
        offset = last


def differences(server, rg, arguments, flags):
    """How many entries of either side the other does not have; totals that are wrong count, too."""
    ours, totals = whole(server, arguments)
    theirs = judged(rg, arguments, flags)
    mode = arguments.get("output_mode", "files_with_matches")

    def form(found):
        # Of a long line lancet shows a part.
        return Counter((path, number, kind, text if len(text) <= 200 else "") for path, number, kind, text in found)

    def around(found):
        # Between two pages a line may be the context of one match and then a match of its own, or on both pages.
        matches = {(path, number) for path, number, kind, _ in found if kind == ":"}
        shown = {(path, number, text if len(text) <= 200 else "") for path, number, _, text in found}
        return Counter([*matches, *shown])

    if mode == "content":
        one, other = (around(ours), around(theirs)) if "-C" in arguments else (form(ours), form(theirs))
    else:
        one, other = Counter(ours), Counter(theirs)
    wrong = (one - other).total() + (other - one).total()
    if mode == "files_with_matches":
        files, lines = len(theirs), None
    elif mode == "count":
        files, lines = len(theirs), sum(int(line.rsplit(":", 1)[1]) for line in theirs)
    else:
        files = len({path for path, *_ in theirs})
        lines = None if arguments.get("multiline") else sum(1 for _, _, kind, _ in theirs if kind == ":")
    for name, right in (("numFiles", files), ("numMatches", lines)):
        told = totals.get(name)
        if right is not None and told is not None and (told > right or (totals["totals"] == "exact" and told != right)):
            wrong += 1
    return wrong, len(theirs)


def interleaved(runs, mine, their):
    """Times of lancet, first of each row, and times of rg: a row of lancet's calls and one run of rg in turn."""
    mine(), their()
    rows, others = [], []
    for _ in range(runs):
        rows.append([mine() for _ in range(IN_A_ROW)])
        others.append(their())
    return [one for row in rows for one in row], [row[0] for row in rows], others


def table(server, rg, rows, runs, judge):
    """One table; the ratios of the least times."""
    print(
        "| question | lines | lancet, least ms | median | median right after rg | rg, least ms | median | rg / lancet | answers |"
        "\n|---|---|---|---|---|---|---|---|---|"
    )
    ratios = []
    for name, kind, tool, arguments, flags in rows:
        wrong, number = judge(tool, arguments, flags)
        mine, first, their = interleaved(runs, lambda: server.call(tool, arguments)[2], lambda: rg.timed(flags))
        ratio = min(their) / min(mine)
        ratios.append((name, kind, ratio))
        same = hold(f"{name}: {wrong} differences", wrong == 0)
        shown = name.replace("|", "\\|")
        print(
            f"| {shown} | {number} | {min(mine):.3f} | {statistics.median(mine):.3f} | {statistics.median(first):.3f} | "
            f"{min(their):.0f} | {statistics.median(their):.0f} | {ratio:.1f} | {'equal' if wrong == 0 else f'{wrong} differ'}{same} |",
            flush=True,
        )
    return ratios


def mean(ratios):
    return math.exp(statistics.fmean(math.log(ratio) for *_, ratio in ratios))


def glob_differences(server, rg, arguments):
    """Glob gives what rg lists, all of it, the newest first. The pattern is `**/` and one of a name."""
    data, text, _ = server.call("Glob", {**arguments, "limit": 1_000_000})
    ours = list(data["files"])
    while data["truncated"]:
        data, text, _ = server.call("Glob", {**arguments, "limit": 1_000_000, "offset": len(ours)})
        if not data["files"]:
            break
        ours += data["files"]
    # Not by `-g`, which brings ignored files back.
    theirs = [name for name in rg.lines(["--files"]) if fnmatch.fnmatchcase(os.path.basename(name), arguments["pattern"].removeprefix("**/"))]
    moments = [os.stat(rg.tree / name).st_mtime_ns for name in ours]
    disorder = sum(1 for one, next_one in zip(moments, moments[1:]) if one < next_one)
    return len(set(ours) ^ set(theirs)) + (len(ours) != len(set(ours))) + disorder + (data["numFiles"] != len(theirs)), len(theirs)


def names_for_glob(rg):
    """A name and an ending that many files have, and no rule of rg's overrides."""
    files = [Path(name) for name in rg.lines(["--files"])]
    names = Counter(path.name for path in files)
    endings = Counter(path.suffix for path in files if path.suffix)
    return names.most_common(1)[0][0], endings.most_common(1)[0][0]


def compared(options, tree, contents, judge_mean):
    """The eighteen questions and Glob with the index resident; figures of memory and size."""
    rg = Ripgrep(options.rg, tree)
    words = words_of(rg, options.sample)
    print(f"\n### {tree.name}, search.contents = \"{contents}\"\n")
    print("Words: " + ", ".join(f"{name} `{word[0]}` ({word[1]})" for name, word in words.items() if isinstance(word, tuple)) + "\n")
    with Lancet(options.lancet, tree, f'[search]\ncontents = "{contents}"\n') as server:
        facts = server.until_resident(contents == "on")
        rows = [(name, kind, "Grep", arguments, flags) for name, kind, arguments, flags in questions(words)]
        ratios = table(server, rg, rows, options.runs, lambda _, arguments, flags: differences(server, rg, arguments, flags))
        overall = mean(ratios)
        least = judge_mean
        print(f"\nGeometric mean of the eighteen: {overall:.1f}{hold(f'mean, contents {contents}', overall >= least)}")
        if contents == "on":
            for name, kind, ratio in ratios:
                if ratio < LEAST[kind]:
                    missed.append(f"{name}: {ratio:.1f}, at least {LEAST[kind]}")
        name, ending = names_for_glob(rg)
        globs = [("Glob by name", f"**/{name}"), ("Glob by extension", f"**/*{ending}")]
        print()
        rows = [(f"{title} `{glob}`", "glob", "Glob", {"pattern": glob}, ["--files", "-g", glob]) for title, glob in globs]
        for title, _, ratio in table(server, rg, rows, options.runs, lambda _, arguments, __: glob_differences(server, rg, arguments)):
            hold(f"{title}: {ratio:.1f}, at least {LEAST_OF_GLOB}", ratio >= LEAST_OF_GLOB)
        describe(server, rg, facts, options.runs)


def as_used(options, tree):
    """Default settings; in every round each question is asked once, after an rg run and a pause. Medians of all rounds."""
    rg = Ripgrep(options.rg, tree)
    words = words_of(rg, options.sample)
    name, ending = names_for_glob(rg)
    rare = words["rare"][0]
    asked = [(title, kind, "Grep", arguments, flags) for title, kind, arguments, flags in questions(words)]
    asked += [
        (f"rare literal in `*{ending}`", "rare in names", "Grep", {"pattern": rare, "glob": f"*{ending}", "output_mode": "content"}, ["-n", "-g", f"*{ending}", rare]),
        ("Glob by name", "glob", "Glob", {"pattern": f"**/{name}"}, ["--files", "-g", f"**/{name}"]),
        ("Glob by extension", "glob", "Glob", {"pattern": f"**/*{ending}"}, ["--files", "-g", f"**/*{ending}"]),
    ]
    print(f"\n### {tree.name}, default settings, each question once after an rg run and {PAUSE * 1e3:.0f} ms of rest\n")
    mine, theirs, wrong = ([[] for _ in asked] for _ in range(3))
    # Its answers are compared through a server with all data, and timed as clients get them.
    with Lancet(options.lancet, tree, "") as server:
        server.until_resident(False, 900)
        for number, (_, _, tool, arguments, flags) in enumerate(asked):
            one = glob_differences(server, rg, arguments) if tool == "Glob" else differences(server, rg, arguments, flags)
            wrong[number] = one[0]
    with Lancet(options.lancet, tree, "", data=None) as server:
        facts = server.until_resident(False, 900)
        order = list(range(len(asked)))
        for turn in range(options.rounds):
            random.Random(turn).shuffle(order)
            for number in order:
                _, _, tool, arguments, flags = asked[number]
                theirs[number].append(rg.timed(flags))
                time.sleep(PAUSE)
                mine[number].append(server.request("tools/call", {"name": tool, "arguments": arguments})[1])
        print("| question | lancet, median ms | rg, median ms | rg / lancet | lancet, least ms | answers |\n|---|---|---|---|---|---|")
        ratios = []
        for (title, kind, *_), own, other, different in zip(asked, mine, theirs, wrong):
            ratio = statistics.median(other) / statistics.median(own)
            kind = "multiline" if title == "multiline" else kind
            ratios.append((title, kind, ratio))
            same = hold(f"{title}, as used: {different} differences", different == 0)
            shown = title.replace("|", "\\|")
            print(
                f"| {shown} | {statistics.median(own):.2f} | {statistics.median(other):.0f} | {ratio:.1f} | {min(own):.2f} | "
                f"{'equal' if different == 0 else f'{different} differ'}{same} |"
            )
            if ratio < LEAST_AS_USED.get(kind, 0):
                missed.append(f"{title}, as used: {ratio:.1f}, at least {LEAST_AS_USED[kind]}")
        overall = mean(ratios)
        print(f"\nGeometric mean of the {len(asked)}: {overall:.1f}{hold('mean, as used', overall >= LEAST_MEAN_AS_USED)}")
        describe(server, rg, facts, options.runs)


def describe(server, rg, facts, runs):
    """Memory, size of the signatures, time of the build."""
    word, later, _ = server.status()
    facts = later if word == "resident" else facts
    resident, anonymous = server.memory("VmRSS"), server.memory("RssAnon")
    share = facts["signatures"] / max(1, facts["text"])
    run = statistics.median(rg.timed(["-n", "zqxjk_absent_word"]) for _ in range(max(3, runs)))
    builds = facts["builtIn"] / run
    print(
        f"\n{facts['files']} files, {facts['watches']} folders watched; text {facts['text'] / MEBI:.0f} MiB, table {facts['table'] / MEBI:.1f} MiB, "
        f"contents {facts['contents'] / MEBI:.0f} MiB, signatures {facts['signatures'] / MEBI:.1f} MiB = {share:.1%} of the text"
        f"{hold('size of the signatures', share <= MOST_OF_TEXT)}"
    )
    print(f"built in {facts['builtIn']} ms = {builds:.1f} rg runs of {run:.0f} ms{hold('time of the build', builds <= MOST_RG_RUNS)}")
    within = resident <= BUDGET + MOST_OVER_BUDGET
    print(f"memory resident {resident / MEBI:.0f} MiB, anonymous {anonymous / MEBI:.0f} MiB{hold('memory', within)}", flush=True)


def together(options, tree, number=3):
    """Several servers of one user on one tree, contents on: all of them within one budget."""
    with tempfile.TemporaryDirectory(prefix="lancet-index-") as folder:
        state = Path(folder, "state")
        servers = [Lancet(options.lancet, tree, '[search]\ncontents = "on"\n', state) for _ in range(number)]
        try:
            end = time.monotonic() + 60
            while time.monotonic() < end and not all(server.status()[0] in ("resident", "absent") for server in servers):
                for server in servers:
                    server.call("Grep", {"pattern": "zqxjk_absent_word"})
                time.sleep(0.2)
            time.sleep(2)
            anonymous = sum(server.memory("RssAnon") for server in servers)
            words = ", ".join(f"{server.status()[0]} {server.status()[2] or ''}".strip() for server in servers)
            within = anonymous <= BUDGET + number * MOST_OVER_BUDGET
            print(f"\n{number} servers on {tree.name} ({words}): {anonymous / MEBI:.0f} MiB anonymous{hold('memory of several servers', within)}")
        finally:
            for server in servers:
                server.end()


def while_built(options, tree, rounds):
    """The plain pipeline while the index is being built, beside a server without an index; in turn."""
    question = {"pattern": "zqxjk_absent_word"}
    during, without = [], []
    with Lancet(options.lancet, tree, '[search]\nindex = "off"\n') as plain:
        plain.call("Grep", question)
        for _ in range(rounds):
            with Lancet(options.lancet, tree, '[search]\ncontents = "on"\n') as server:
                server.call("Grep", question)
                end = time.monotonic() + 60
                while time.monotonic() < end:
                    taken = server.call("Grep", question)[2]
                    word = server.status()[0]
                    if word == "resident":
                        break
                    if word == "building":
                        during.append(taken)
                        without.append(plain.call("Grep", question)[2])
    if not during:
        print("\nno search fell into the time of a build")
        return
    ratio = statistics.median(during) / statistics.median(without)
    print(
        f"\nwhile the index is built: {statistics.median(during):.0f} ms, without an index {statistics.median(without):.0f} ms "
        f"({len(during)} searches): {ratio:.2f}{hold('plain pipeline while the index is built', ratio <= MOST_WHILE_BUILT)}",
        flush=True,
    )


def on_linux(options, tree):
    """Rare and absent literals on a tree whose text is larger than the budget, with default settings."""
    rg = Ripgrep(options.rg, tree)
    words = words_of(rg, options.sample * 4)
    print(f"\n### {tree.name}, default settings\n")
    with Lancet(options.lancet, tree, "") as server:
        facts = server.until_resident(False, 900)
        rows = [(name, kind, "Grep", arguments, flags) for name, kind, arguments, flags in questions(words) if kind in ("rare", "absent")]
        for name, _, ratio in table(server, rg, rows, options.runs, lambda _, arguments, flags: differences(server, rg, arguments, flags)):
            hold(f"{tree.name}, {name}: {ratio:.1f}, at least {LEAST_ON_LINUX}", ratio >= LEAST_ON_LINUX)
        describe(server, rg, facts, options.runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--linux", type=Path, help="a tree larger than the budget")
    parser.add_argument("--lancet", default=str(TOP / "target/release/lancet"))
    parser.add_argument("--rg", default=str(TOP / "target/tools/ripgrep-15.2.0/bin/rg"))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=7, help="how often each question is asked for the first table")
    parser.add_argument("--only-as-used", action="store_true", help="the first table alone")
    parser.add_argument("--sample", type=int, default=20, help="words are looked for in one of so many files")
    parser.add_argument("--contents", choices=["on", "off", "both"], default="both")
    parser.add_argument("--quick", action="store_true", help="two runs of each, and nothing beside the questions")
    options = parser.parse_args()
    for program, how in ((options.lancet, "cargo build --release -p lancet-cli"), (options.rg, "cargo xtask test, which sets it up")):
        if not os.access(program, os.X_OK):
            raise SystemExit(f"{program} is not there: {how}")
    options.lancet, options.rg = (str(Path(program).resolve()) for program in (options.lancet, options.rg))
    if options.quick:
        options.runs = options.rounds = 2
    tree = options.tree.resolve()
    as_used(options, tree)
    if options.only_as_used:
        finish()
    for contents in ("on", "off") if options.contents == "both" else (options.contents,):
        compared(options, tree, contents, LEAST_MEAN if contents == "on" else LEAST_MEAN_OF_SIGNATURES)
    if not options.quick:
        together(options, tree)
        while_built(options, tree, 3)
    if options.linux:
        on_linux(options, options.linux.resolve())
    finish()


def finish():
    print(f"\n{len(missed)} targets missed" + "".join(f"\n- {name}" for name in missed))
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
