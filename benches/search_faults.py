#!/usr/bin/env python3
"""Searches while everything changes: lancet over MCP and `rg` are asked the same, and whole answers compared (Linux, Python 3.11, no packages).

    benches/search_faults.py [--lancet LANCET] [--rg RG] [--short] [--only PART] [--require-index] [--fff MODULES]

Each case has a tree and a server of its own: random changes, writes that must be seen at once, a lowered limit of watches (in a user
namespace), more events than the kernel keeps, a folder replaced by a link, a file that grows, `git checkout` in a loop, two servers, times
set back. `--require-index` fails where the index was not resident, so that the plain pipeline is not taken for it. `--fff` runs
fff_freshness.mjs on a tree of the same kind; what it misses is printed and fails nothing.
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from search_index import TOP, Lancet, Ripgrep, differences, glob_differences

WORDS = [f"{first}_{second}" for first in ("mutex", "page", "inode", "timer", "queue", "socket") for second in ("lock", "alloc", "free", "init", "table")]
ENDINGS = [".c", ".h", ".txt", ".md"]
# The kernel keeps so many events for a watcher that does not read.
KEPT_EVENTS = 16_384


class Tree:
    """A tree of made sources that can change in every way, below a folder of its own."""

    def __init__(self, folder, seed, files):
        self.root, self.chance, self.number = folder / "tree", random.Random(seed), 0
        (folder / "elsewhere").mkdir(parents=True)
        self.elsewhere = folder / "elsewhere"
        self.root.mkdir()
        (self.root / ".gitignore").write_text("*.log\n/built/\n")
        while self.number < files:
            self.new_file(self.root / f"part{self.number % 40}" / f"room{self.number // 40 % 5}")

    def text(self):
        def line():
            return " ".join(self.chance.choices(WORDS, k=3)) + f" {self.chance.randrange(10**6)}"

        return "".join(line() + "\n" for _ in range(self.chance.randrange(3, 30)))

    def new_file(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.number += 1
        file = folder / f"file{self.number}{self.chance.choice(ENDINGS)}"
        file.write_text(self.text())
        return file

    def files(self):
        return sorted(path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink() and path.name != ".gitignore")

    def folders(self):
        return sorted(path for path in self.root.rglob("*") if path.is_dir() and not path.is_symlink())

    def change(self):
        """One random change."""
        pick = self.chance.choice
        files, folders = self.files(), self.folders()
        kind = self.chance.randrange(10)
        if kind == 0:
            with open(pick(files), "a") as file:
                file.write(self.text())
        elif kind == 1:
            pick(files).rename(pick(folders) / f"moved{self.chance.randrange(10**9)}{pick(ENDINGS)}")
        elif kind == 2:
            os.truncate(pick(files), self.chance.randrange(0, 40))
        elif kind == 3:
            file = pick(files)
            new = file.with_name(f"{file.name}.new")
            new.write_text(self.text())
            new.rename(file)
        elif kind == 4:
            pick(files).unlink()
        elif kind == 5:
            self.new_file(pick(folders) / f"new{self.chance.randrange(10**6)}" / "deep" / "deeper")
        elif kind == 6:
            folder, to = pick(folders), pick(folders)
            if not to.is_relative_to(folder):
                with contextlib.suppress(OSError):
                    folder.rename(to / f"folder{self.chance.randrange(10**9)}")
        elif kind == 7:
            rules = pick([self.root, *folders]) / ".gitignore"
            if rules.exists() and self.chance.random() < 0.5:
                rules.unlink()
            else:
                rules.write_text(pick(["*.log\n", "*.md\n", "room1/\n", "file1*\n!file11*\n", "*.h\n", "/deep\n"]))
        elif kind == 8:
            shutil.rmtree(pick(folders))
        else:
            # The same size and the same time: only the bytes differ.
            file = pick(files)
            before = file.stat()
            data = bytearray(file.read_bytes())
            if data:
                place = self.chance.randrange(len(data))
                data[place] = ord("X") if data[place] != ord("\n") else data[place]
                file.write_bytes(data)
                os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


class Case:
    """Counts what was asked in one case, and what differed."""

    def __init__(self, name, options):
        self.name, self.options, self.asked, self.wrong, self.looks, self.resident = name, options, 0, 0, 0, 0
        self.began = time.monotonic()

    def check(self, wrong, what):
        self.asked += 1
        if wrong:
            self.wrong += 1
            if self.wrong <= 5:
                print(f"{self.name}: {what}: {wrong} differences", flush=True)

    def ask(self, server, rg, chance):
        """One random question, whole answers compared."""
        self.look(server)
        word, other = chance.choice(WORDS), chance.choice(WORDS)
        kind = chance.randrange(8)
        pattern = [word, word[:4], f"{word}|{other}", f"{word}.*{other}", rf"\b{word}\b", "[0-9]{6}$", f"{word[:3]}[a-z]+_{word[-4:]}", "zqxjk_absent"][kind]
        mode = chance.choice(["content", "content", "count", "files_with_matches"])
        arguments, flags = {"pattern": pattern, "output_mode": mode}, {"content": ["-n"], "count": ["-c"], "files_with_matches": ["-l"]}[mode]
        if chance.random() < 0.2:
            arguments, flags = {**arguments, "-i": True}, [*flags, "-i"]
        if mode == "content" and chance.random() < 0.2:
            arguments, flags = {**arguments, "-C": 2}, [*flags, "-C2"]
        if chance.random() < 0.15:
            glob = chance.choice(["**/*.c", "**/*.md", "**/file1*.h"])
            self.check(glob_differences(server, rg, {"pattern": glob})[0], f"Glob {glob}")
        else:
            self.check(differences(server, rg, arguments, [*flags, pattern])[0], f"Grep {arguments}")

    def look(self, server):
        """Takes note of whether the index answers."""
        word, _, why = server.status()
        self.looks += 1
        self.resident += word == "resident"
        return word, why

    def end(self, told, must_be_resident=True):
        seconds = time.monotonic() - self.began
        missing = self.options.require_index and must_be_resident and self.resident == 0
        word = "as it must be" if not self.wrong and not missing else "**wrong**"
        told = told if isinstance(told, str) else " ".join(part for part in told if part)
        print(f"{self.name}: {self.asked} questions, {self.wrong} with differences; index {told}, resident at {self.resident} of {self.looks} looks; {seconds:.0f} s: {word}", flush=True)
        return not self.wrong and not missing


@contextlib.contextmanager
def ground(options, seed, files=3_000):
    with tempfile.TemporaryDirectory(prefix="lancet-faults-", dir=options.folder) as folder:
        tree = Tree(Path(folder).resolve(), seed, files)
        yield tree, Ripgrep(options.rg, tree.root)


def started(options, tree, before=(), state=None, settings='[search]\ncontents = "on"\n'):
    return Lancet(options.lancet, tree.root, settings, state, before)


def warm(server, patience=20):
    """Searches until the index is resident or will not be."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        server.call("Grep", {"pattern": "zqxjk_absent"})
        word, _, why = server.status()
        if word == "resident" or (word == "absent" and why != "first_search"):
            return
        # Without an index there is nothing to wait for.
        if word == "none" and time.monotonic() > end - patience + 2:
            return
        time.sleep(0.1)


def changes(options):
    case = Case("random changes", options)
    with ground(options, options.seed) as (tree, rg), started(options, tree) as server:
        warm(server)
        told = case.look(server)
        for _ in range(options.rounds):
            for _ in range(tree.chance.choice([0, 1, 1, 3])):
                tree.change()
            case.ask(server, rg, tree.chance)
            told = case.look(server)
            if len(tree.files()) < 2_200:
                for number in range(800):
                    tree.new_file(tree.root / f"again{number % 20}")
        return case.end(told)


def seen_at_once(options):
    """A write that returned is seen by the next question: by other processes, and by lancet's own tools."""
    case = Case("seen at once", options)
    with ground(options, options.seed + 1) as (tree, _), started(options, tree) as server:
        warm(server)
        files = tree.files()
        for number in range(options.writes):
            token = f"fresh{number}x{tree.chance.randrange(10**9)}"
            file = tree.chance.choice(files)
            way = number % 4
            if way == 0:
                with open(file, "a") as opened:
                    opened.write(f"{token}\n")
            elif way == 1:
                file = file.with_name(f"made{number}.c")
                file.write_text(f"{token}\n")
            elif way == 2:
                new = file.with_name(f"{file.name}.new")
                new.write_text(f"{token}\n")
                new.rename(file)
            else:
                file = file.with_name(f"own{number}.c")
                server.call("Write", {"file_path": str(file), "content": f"{token}\n"})
            data, text, _ = server.call("Grep", {"pattern": token, "output_mode": "content"})
            case.look(server)
            case.check(int(data["numMatches"] != 1 or token not in text), f"written by way {way}")
        return case.end(case.look(server))


def watch_limit(options):
    """The limit of watches is lowered in a user namespace, which is the server's alone."""
    case = Case("watch limit of 100", options)
    before = ["unshare", "-Ur", "sh", "-c", 'echo 100 > /proc/sys/user/max_inotify_watches && exec "$@"', "sh"]
    try:
        works = subprocess.run([*before, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        works = False
    if not works:
        print("watch limit of 100: left out, there are no user namespaces here")
        return True
    with ground(options, options.seed + 2) as (tree, rg), started(options, tree, before) as server:
        warm(server)
        for _ in range(options.rounds // 4):
            tree.change()
            case.ask(server, rg, tree.chance)
        return case.end(case.look(server), must_be_resident=False)


def overflow(options):
    """More events than the kernel keeps, while the server cannot read them. The kernel's own limit stays as it is."""
    case = Case("queue overflow", options)
    with ground(options, options.seed + 3) as (tree, rg), started(options, tree) as server:
        warm(server)
        told = case.look(server)
        for _ in range(max(1, options.rounds // 100)):
            server.process.send_signal(signal.SIGSTOP)
            try:
                files = tree.files()[:2_000]
                # Two events each, and not one after the other for the same file, which the kernel would put together.
                for _ in range(KEPT_EVENTS // len(files) + 2):
                    for file in files:
                        with open(file, "a") as opened:
                            opened.write("late_event\n")
                for _ in range(20):
                    tree.change()
            finally:
                server.process.send_signal(signal.SIGCONT)
            case.check(differences(server, rg, {"pattern": "late_event", "output_mode": "count"}, ["-c", "late_event"])[0], "after the overflow")
            for _ in range(10):
                case.ask(server, rg, tree.chance)
        return case.end(told)


def replaced_by_link(options):
    case = Case("folder replaced by a link", options)
    with ground(options, options.seed + 4) as (tree, rg), started(options, tree) as server:
        warm(server)
        told = case.look(server)
        for number in range(max(3, options.rounds // 20)):
            folder, away = tree.root / f"part{number % 40}", tree.elsewhere / f"away{number}"
            folder.rename(away)
            (away / "outside.c").write_text("outside_token\n")
            folder.symlink_to(away)
            for _ in range(3):
                case.ask(server, rg, tree.chance)
            data, _, _ = server.call("Grep", {"pattern": "outside_token"})
            case.check(int(data["numFiles"] != 0), "what is behind a link")
            (away / "later.c").write_text("outside_token\n")
            data, _, _ = server.call("Grep", {"pattern": "outside_token"})
            case.check(int(data["numFiles"] != 0), "what comes behind a link")
            folder.unlink()
            away.rename(folder)
            case.check(differences(server, rg, {"pattern": "outside_token"}, ["-l", "outside_token"])[0], "the folder back in its place")
            shutil.rmtree(folder)
            tree.new_file(folder)
        return case.end(told)


def growing(options):
    """A file grows while it is searched: an answer has at least the lines from before, and at most those from after."""
    case = Case("growing file", options)
    with ground(options, options.seed + 5) as (tree, rg), started(options, tree) as server:
        warm(server)
        told = case.look(server)
        written, over = 0, threading.Event()
        file = tree.root / "grows.txt"
        file.write_text("")

        def grow():
            nonlocal written
            with open(file, "a", buffering=1) as opened:
                while not over.is_set():
                    opened.write(f"growing_line {written} {'x' * 200}\n")
                    written += 1
                    time.sleep(0.0002)

        thread = threading.Thread(target=grow)
        thread.start()
        try:
            for _ in range(options.rounds // 2):
                least = written
                data, _, _ = server.call("Grep", {"pattern": "growing_line", "output_mode": "count"})
                case.look(server)
                # The line that is being written is counted after the write.
                case.check(int(not least <= data.get("numMatches", 0) <= written + 1), f"{least} to {written}: {data.get('numMatches')}")
        finally:
            over.set()
            thread.join()
        case.check(differences(server, rg, {"pattern": "growing_line", "output_mode": "content"}, ["-n", "growing_line"])[0], "at rest")
        return case.end(told)


def checkout(options):
    """`git checkout` of many files in a loop during questions; at rest the answers are rg's again."""
    case = Case("git checkout in a loop", options)
    with ground(options, options.seed + 6, files=10) as (tree, rg):
        def git(*arguments):
            subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments], cwd=tree.root, check=True, capture_output=True)

        git("init", "-q", "-b", "one")
        for branch in ("one", "two"):
            if branch == "two":
                git("checkout", "-q", "-b", "two")
            for number in range(options.checkout):
                folder = tree.root / f"g{number % 100}"
                folder.mkdir(exist_ok=True)
                (folder / f"f{number}.c").write_text(f"int branch_{branch}_{number % 50};\n" + "filling\n" * 5)
            git("add", "-A")
            git("commit", "-qm", branch)
        with started(options, tree) as server:
            warm(server)
            told = case.look(server)
            over = threading.Event()

            def loop():
                while not over.is_set():
                    git("checkout", "-q", "one")
                    git("checkout", "-q", "two")

            thread = threading.Thread(target=loop)
            thread.start()
            try:
                for number in range(options.rounds // 4):
                    _, text, _ = server.call("Grep", {"pattern": f"branch_(one|two)_{number % 50};", "output_mode": "content", "head_limit": 0})
                    case.look(server)
                    lines = [line for line in text.split("\n") if line[:1].isdigit()]
                    right = all(f"_{number % 50};" in line and line.startswith("1:int branch_") for line in lines)
                    case.check(int(not right or len(lines) > options.checkout // 50), "during a checkout")
            finally:
                over.set()
                thread.join()
            for word in ("branch_one", "branch_two", "branch_two_7;"):
                case.check(differences(server, rg, {"pattern": word, "output_mode": "content"}, ["-n", word])[0], f"at rest, {word}")
            return case.end(told)


def two_servers(options):
    case = Case("two servers on one tree", options)
    with ground(options, options.seed + 7) as (tree, rg), tempfile.TemporaryDirectory(prefix="lancet-faults-") as folder:
        state = Path(folder, "state")
        with started(options, tree, state=state) as first, started(options, tree, state=state) as second:
            warm(first)
            warm(second)
            told = case.look(first)
            for number in range(options.rounds // 4):
                tree.change()
                file = tree.root / f"by{number}.c"
                first.call("Write", {"file_path": str(file), "content": f"shared_{number}_token\n"})
                data, _, _ = second.call("Grep", {"pattern": f"shared_{number}_token"})
                case.check(int(data["numFiles"] != 1), "written through the other server")
                case.ask(first, rg, tree.chance)
                case.ask(second, rg, tree.chance)
            return case.end(told)


def times_set_back(options):
    """Files whose times lie before those that were known, as after a clock that was set back: the bytes count."""
    case = Case("times set back", options)
    with ground(options, options.seed + 8) as (tree, rg), started(options, tree) as server:
        warm(server)
        told = case.look(server)
        for number in range(options.rounds // 4):
            file = tree.chance.choice(tree.files())
            before = file.stat()
            file.write_text(f"back_{number}_token\n")
            back = before.st_mtime_ns - tree.chance.choice([0, 1, 10**9, 3_600 * 10**9])
            os.utime(file, ns=(back, back))
            case.look(server)
            word = f"back_{number}_token"
            case.check(differences(server, rg, {"pattern": word, "output_mode": "content"}, ["-n", word])[0], "a new text with an old time")
            case.check(glob_differences(server, rg, {"pattern": "**/*.c"})[0], "the order of times")
        return case.end(told)


CASES = [changes, seen_at_once, watch_limit, overflow, replaced_by_link, growing, checkout, two_servers, times_set_back]


def fff(options):
    """The other tool on a tree of the same kind."""
    with ground(options, options.seed + 9) as (tree, _):
        script = TOP / "benches/fff_freshness.mjs"
        subprocess.run(["node", str(script), options.fff, str(tree.root), "5" if options.short else "50"], timeout=900)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lancet", default=str(TOP / "target/release/lancet"))
    parser.add_argument("--rg", default=str(TOP / "target/tools/ripgrep-15.2.0/bin/rg"))
    parser.add_argument("--folder", default=None, help="where the trees are made")
    parser.add_argument("--seed", type=int, default=22)
    parser.add_argument("--short", action="store_true", help="a few questions of each")
    parser.add_argument("--number", type=int, help="how many questions of random changes, and by it of the others")
    parser.add_argument("--only", default="", help="cases whose name has this part")
    parser.add_argument("--require-index", action="store_true", help="fail where the index was not resident")
    parser.add_argument("--fff", metavar="MODULES", help="the folder with fff's package")
    options = parser.parse_args()
    for program in (options.lancet, options.rg):
        if not os.access(program, os.X_OK):
            raise SystemExit(f"{program} is not there")
    options.lancet, options.rg = (str(Path(program).resolve()) for program in (options.lancet, options.rg))
    options.rounds, options.writes, options.checkout = (40, 100, 2_500) if options.short else (2_000, 10_000, 10_000)
    options.rounds = options.rounds if options.number is None else options.number
    options.writes = options.writes if options.number is None else 5 * options.number
    wanted = [case for case in CASES if options.only in case.__name__]
    held = [case(options) for case in wanted]
    if options.fff:
        fff(options)
    print(f"{held.count(False)} of {len(held)} cases wrong")
    raise SystemExit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
