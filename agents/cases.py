"""What is tried in every agent, as scripts for the model: each check looks at the bytes on disk or at what the model was sent."""
import re

# The lines of a large file are longer than most, so that one Read cannot show all of it.
LINES = 3000
# The figures of the table of clients in crates/mcp/src/clients.rs are below this, which is what one Read answers with.
READ_ANSWERS = 30_000


class Folder:
    """The project that the agent works in."""

    def __init__(self, path):
        self.path = path
        path.mkdir(parents=True, exist_ok=True)

    def at(self, name):
        return str(self.path / name)

    def write(self, name, content):
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_bytes(content)
        return str(self.path / name)

    def bytes(self, name):
        return (self.path / name).read_bytes()


class Checks:
    """Counts what held, and prints what did not."""

    def __init__(self, title):
        self.title, self.passed, self.failed = title, 0, 0

    def that(self, holds, name, seen=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print("FAIL %s: %s\n     %s" % (self.title, name, str(seen)[:2000]), flush=True)

    def same(self, seen, wanted, name):
        self.that(seen == wanted, name, "%r instead of %r" % (seen, wanted))

    def tells(self, result, words, name):
        text = result.text.replace("\\n", "\n").replace('\\"', '"')
        self.that(all(word in text for word in words), name, result.text)


def shown(text):
    """The numbers of the lines that a Read showed, in the order shown, and the range that it claims."""
    claimed = re.search(r"lines (\d+)-(\d+) of (\d+)", text)
    return [int(n) for n in re.findall(r"^(\d+)→", text, re.M)], claimed and tuple(map(int, claimed.groups()))


def big():
    return "".join("line %d %s\n" % (n, "x" * 60) for n in range(1, LINES + 1)).encode()


def editing(agent, folder, checks, facts):
    """The conversation in which lancet may write."""
    text = folder.write("a.txt", b"one\r\ntwo\r\nthree\r\n")
    read = yield agent.tool("Read", {"file_path": text})
    checks.tells(read, ["1→one\n2→two\n3→three\n", "lines 1-3 of 3, crlf line ends, revision "], "Read shows the lines and the revision")
    facts["answers"] = "as sent" if read.text.startswith("1→one") else read.text.partition("1→one")[0].split()[0]

    yield agent.tool("Edit", {"file_path": text, "old_string": "two", "new_string": "2\n2b"})
    checks.same(folder.bytes("a.txt"), b"one\r\n2\r\n2b\r\nthree\r\n", "Edit keeps the line endings")

    words = folder.write("words.md", "He said “no” \u2014 twice.\nEnd\n".encode())
    yield agent.tool("Read", {"file_path": words})
    edit = yield agent.tool("Edit", {"file_path": words, "old_string": "said \"no\" \u2014 twice", "new_string": "said \"yes\" \u2014 once"})
    checks.same(folder.bytes("words.md"), "He said “yes” \u2014 once.\nEnd\n".encode(), "an Edit with straight quotes lands among curly ones")
    checks.tells(edit, ["Edited ", "1→He said"], "a tolerant Edit shows what stands there now")

    stale = folder.write("stale.txt", b"alpha\nbeta\ngamma\n")
    yield agent.tool("Read", {"file_path": stale})
    folder.write("stale.txt", b"alpha\nbeta\nsomebody else\n")
    edit = yield agent.tool("Edit", {"file_path": stale, "old_string": "beta\ngamma", "new_string": "delta"})
    checks.same(folder.bytes("stale.txt"), b"alpha\nbeta\nsomebody else\n", "an Edit of a changed file leaves it as it is")
    checks.tells(edit, ["+somebody else"], "the refusal of a stale Edit carries the diff")

    twice = folder.write("twice.txt", b"a\nx = 1\nb\nx = 1\n")
    yield agent.tool("Read", {"file_path": twice})
    edit = yield agent.tool("Edit", {"file_path": twice, "old_string": "x = 1", "new_string": "x = 2"})
    checks.same(folder.bytes("twice.txt"), b"a\nx = 1\nb\nx = 1\n", "an ambiguous Edit changes nothing")
    checks.tells(edit, ["a\nx = 1", "b\nx = 1"], "an ambiguous Edit is told a unique text for each place")
    facts["refusals"] = "as sent" if edit.text.startswith("old_string") else edit.text.split()[0]
    facts["refusals_marked"] = edit.error
    facts["meta_at_the_model"] = "lancet/result" in edit.text

    yield agent.tool("MultiEdit", {"edits": [
        {"file_path": text, "old_string": "three", "new_string": "3"},
        {"file_path": twice, "old_string": "b\nx = 1", "new_string": "b\nx = 3"},
    ]})
    checks.same(folder.bytes("a.txt"), b"one\r\n2\r\n2b\r\n3\r\n", "MultiEdit changes the first file")
    checks.same(folder.bytes("twice.txt"), b"a\nx = 1\nb\nx = 3\n", "MultiEdit changes the second file")

    yield agent.tool("MultiEdit", {"edits": [
        {"file_path": text, "old_string": "one", "new_string": "1"},
        {"file_path": twice, "old_string": "not there at all", "new_string": ""},
    ]})
    checks.same(folder.bytes("a.txt"), b"one\r\n2\r\n2b\r\n3\r\n", "a MultiEdit with one edit that fails changes nothing")

    yield agent.tool("Write", {"file_path": folder.at("new/made.txt"), "content": "made\nhere\n"})
    checks.same(folder.bytes("new/made.txt"), b"made\nhere\n", "Write makes the file and its folder")

    grep = yield agent.tool("Grep", {"pattern": "^x = \\d", "path": str(folder.path), "output_mode": "content", "-n": True})
    checks.tells(grep, ["twice.txt", "x = 1", "x = 3"], "Grep finds the lines")

    folder.write("unread.txt", b"never\nread\n")
    edit = yield agent.tool("Edit", {"file_path": folder.at("unread.txt"), "old_string": "never", "new_string": "ever"})
    checks.same(folder.bytes("unread.txt"), b"never\nread\n", "a file that was not read is not changed")
    checks.tells(edit, ["has not been read", "Read"], "the refusal names the Read call")

    large = folder.write("big.txt", big())
    read = yield agent.tool("Read", {"file_path": large})
    lines, claimed = shown(read.text)
    checks.that(claimed is not None and lines == list(range(1, claimed[1] + 1)),
                "every line that a large Read claims to show reaches the model", (lines[:3], lines[-3:], claimed))
    facts["read_claims_lines"] = claimed and claimed[1]
    last = claimed[1] if claimed else 0
    # The last one comes at the end: the answer to an Edit shows the lines around it.
    for number, may in ((LINES, False), (last + 1, False), (last, True)):
        old, before = "line %d %s" % (number, "x" * 60), folder.bytes("big.txt")
        yield agent.tool("Edit", {"file_path": large, "old_string": old, "new_string": "changed %d" % number})
        wanted = before.replace(old.encode(), b"changed %d" % number) if may else before
        name = "a line that the model was shown can be edited" if may else "a line that the model was not shown cannot be edited"
        checks.that(folder.bytes("big.txt") == wanted, name, "line %d of %d shown" % (number, last))

    # Of `.git` nobody is asked in Codex, whose sandbox keeps it readable only.
    guarded = folder.write(".hg/hgrc", b"[ui]\nverbose = false\n")
    yield agent.tool("Read", {"file_path": guarded})
    edit = yield agent.tool("Edit", {"file_path": guarded, "old_string": "false", "new_string": "true"})
    checks.same(folder.bytes(".hg/hgrc"), b"[ui]\nverbose = false\n", "a protected file is not changed without a person's yes")
    checks.that(any(words in edit.text for words in ("no person can be asked here", "was not answered by a person")),
                "the model learns that no person answered", edit.text)


def asking(agent, folder, checks, facts):
    """The conversation in which every write needs a person's yes, and nobody is there."""
    text = folder.write("ask.txt", b"one\ntwo\n")
    read = yield agent.tool("Read", {"file_path": text})
    checks.tells(read, ["1→one\n2→two\n"], "Read needs no question")
    large = yield agent.tool("Read", {"file_path": folder.write("big.txt", big())})
    lines, claimed = shown(large.text)
    whole = claimed is not None and lines == list(range(1, claimed[1] + 1))
    facts["of_%d_bytes" % (READ_ANSWERS // 1000 * 1000)] = "all" if whole else "about %d thousand" % (len(large.text.encode()) // 1000)
    edit = yield agent.tool("Edit", {"file_path": text, "old_string": "two", "new_string": "2"})
    checks.that("Edited" not in edit.text, "a write without a person's yes is refused", edit.text)
    facts["asked"] = " ".join(edit.text.split()[-6:])


def confined(agent, folder, checks, facts):
    """The conversation in which the agent's own sandbox allows no writing."""
    write = yield agent.tool("Write", {"file_path": folder.at("confined.txt"), "content": "written\n"})
    checks.that(not (folder.path / "confined.txt").exists(), "what the agent's sandbox forbids is not written", write.text)
    checks.tells(write, ["sandbox allows no writing"], "the refusal names the sandbox")
