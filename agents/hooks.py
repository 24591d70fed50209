"""What an agent's hooks do for lancet, tried in the agents that have hooks: the diff of a change is shown, what the agent's own
tool read counts as read, and `lancet undo --to-prompt` goes back to the prompt. `lancet install` alone has put the hooks there.
"""
import json
import os
import subprocess

PROMPT = "Change what the hooks see."

# Each file, its bytes, the lines that the agent's own tool is asked for, and the line that is then changed with lancet's Edit.
READ = (
    ("whole.txt", b"one\ntwo\nthree\n", None, "two", True),
    ("crlf.txt", b"one\r\ntwo\r\nthree\r\n", None, "two", True),
    ("part.txt", b"one\ntwo\nthree\nfour\n", (2, 3), "three", True),
    ("other.txt", b"one\ntwo\nthree\nfour\n", (2, 3), "four", False),
)


def conversation(agent, folder, checks, facts):
    """The conversation: own reads and lancet's edits after them, then a file that lancet makes."""
    for name, content, lines, line, may in READ if agent.reads_itself else ():
        path = folder.write(name, content)
        yield agent.own_read(path, lines)
        edit = yield agent.tool("Edit", {"file_path": path, "old_string": line, "new_string": "changed"})
        wanted = content.replace(line.encode(), b"changed") if may else content
        told = "may be changed: it was shown" if may else "may not be changed: it was not shown"
        checks.that(folder.bytes(name) == wanted, "after the agent's own reading tool, %r of %s %s" % (line, name, told), edit.text)
    yield agent.tool("Write", {"file_path": folder.at("hooked.txt"), "content": "a line for the diff\n"})


def shell(lancet, home, folder, *words):
    """What a command of lancet's does in the project, at the shell of the agent's user."""
    return subprocess.run([lancet, *words], cwd=folder.path, capture_output=True, text=True, timeout=60,
                          env={"HOME": str(home), "PATH": os.environ["PATH"]})


def recorded(lancet, home, folder):
    """What the record of the last change with a caller has of the conversation: whether it has a name of its own, a turn and a call."""
    changes = map(json.loads, shell(lancet, home, folder, "log", "--json").stdout.splitlines())
    # The files that this test itself writes between two calls are recorded as a change `unattributed`.
    change = next((change for change in changes if change.get("session") != "unattributed"), {})
    session = change.get("session") or ""
    return {"session": "of the process" if session.startswith("unnamed-") else session.partition(".")[0],
            "record_has": " ".join(key for key in ("turn", "call") if change.get(key))}


def check(lancet, agent, home, folder, printed, checks, facts):
    """What must hold after the conversation."""
    facts["diff_printed"] = "+a line for the diff" in printed
    done = shell(lancet, home, folder, "undo", "--to-prompt", "--yes")
    checks.that(PROMPT in done.stdout + done.stderr, "lancet undo --to-prompt names the prompt", done.stdout + done.stderr)
    checks.that(not (folder.path / "hooked.txt").exists(), "going back to the prompt removes what was made since", done.stdout)
    for name, content, *_ in READ if agent.reads_itself else ():
        checks.same(folder.bytes(name), content, "going back to the prompt gives %s back" % name)
