#!/usr/bin/env python3
"""Drives a built lancet with the Python MCP SDK: list, read, edit, refusals, a person's answers, the client's roots, in both generations of the protocol, over
standard input and output and over HTTP (`lancet serve`).

    client.py BINARY

Exit status 0 when all holds; the last line is `N passed, N failed`. Needs requirements.txt.
"""
import contextlib
import functools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import warnings

import anyio
import httpx2
from mcp import Client, types
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

# The protocol deprecates roots; clients go on sending them.
warnings.filterwarnings("ignore", message="The roots capability is deprecated")

# How the SDK opens the connection, and the version it must then speak: `auto` probes for the new generation.
GENERATIONS = [("auto", "2026-07-28"), ("2026-07-28", "2026-07-28"), ("legacy", "2025-11-25")]

ANNOTATIONS = {  # read-only, destructive, idempotent, open world
    "Read": (True, False, True, False),
    "Edit": (False, True, False, False),
    "MultiEdit": (False, True, False, False),
    "Write": (False, True, False, False),
    "NotebookEdit": (False, True, False, False),
    "Glob": (True, False, True, False),
    "Grep": (True, False, True, False),
}


passed = 0


def check(holds, words):
    global passed
    if not holds:
        raise AssertionError(words)
    passed += 1


def text(result):
    return "\n".join(block.text for block in result.content)


def data(result):
    return (result.meta or {}).get("lancet/result") or {}


@contextlib.asynccontextmanager
async def reach(way, version, binary, base, root, extra, **options):
    """A client of a server on `root`, over standard input and output or over HTTP."""
    arguments = ["--root", root, "--state-dir", os.path.join(base, "state"), "--data", "full", *extra]
    env = {**os.environ, "HOME": base}
    if way == "stdio":
        server = StdioServerParameters(command=binary, args=["mcp", *arguments], env=env)
        async with Client(server, read_timeout_seconds=30, **options) as client:
            yield client
        return
    process = subprocess.Popen([binary, "serve", "--listen", "127.0.0.1:0", *arguments], env=env, stderr=subprocess.PIPE, text=True)
    try:
        url = process.stderr.readline().split()[-1]
        with open(os.path.join(base, "state", "serve-token"), encoding="utf-8") as file:
            headers = {"Authorization": "Bearer " + file.read().strip()}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            async with Client(streamable_http_client(url, http_client=http), read_timeout_seconds=30, **options) as client:
                if version == "2026-07-28":
                    # Requests of this generation stand alone; what the model has seen is kept under the name that the host gives.
                    client.call_tool = functools.partial(client.call_tool, meta={"lancet/session": "python"})
                yield client
    finally:
        process.send_signal(signal.SIGTERM)
        check(process.wait(30) == 0, "the server ended with %d" % process.returncode)
        process.stderr.close()


async def converse(way, binary, mode, version):
    with tempfile.TemporaryDirectory(prefix="lancet-client-") as base:
        base = os.path.realpath(base)
        root = os.path.join(base, "root")
        os.makedirs(root)
        path = os.path.join(root, "notes.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("alpha\nbeta \u00e9\U0001f600\ngamma\n")
        extra = ["--mode", "accept-edits"]
        async with reach(way, version, binary, base, root, extra, mode=mode) as client:
            check(client.protocol_version == version, "speaks %s instead of %s" % (client.protocol_version, version))
            if client.server_info is not None:
                check(client.server_info.name == "lancet", "the server calls itself %r" % client.server_info.name)

            tools = (await client.list_tools()).tools
            names = [tool.name for tool in tools]
            check(names == list(ANNOTATIONS), "lists %s" % names)
            for tool in tools:
                hints = tool.annotations
                given = (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
                check(given == ANNOTATIONS[tool.name], "%s is annotated %s" % (tool.name, given))
                check(tool.title and tool.description, "%s has no title or description" % tool.name)
            size = len(json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools], ensure_ascii=False).encode())
            check(size <= 10_000, "the list has %d bytes" % size)

            read = await client.call_tool("Read", {"file_path": path})
            check(not read.is_error, "Read: %s" % text(read))
            check("2\u2192beta \u00e9\U0001f600" in text(read), "Read shows %r" % text(read))
            check(data(read).get("totalLines") == 3, "Read's data are %s" % data(read))
            check(read.structured_content is None, "Read has structured content")

            edit = await client.call_tool("Edit", {"file_path": path, "old_string": "beta", "new_string": "BETA"})
            check(not edit.is_error, "Edit: %s" % text(edit))
            check(data(edit).get("matched") == "exact", "Edit's data are %s" % data(edit))
            with open(path, encoding="utf-8") as file:
                check(file.read() == "alpha\nBETA \u00e9\U0001f600\ngamma\n", "the file is not what was asked for")

            refused = await client.call_tool("Edit", {"file_path": path, "old_string": "delta", "new_string": "x"})
            error = data(refused).get("error") or {}
            check(refused.is_error and (error.get("code"), error.get("name")) == (8, "not_found"), "a text that is not there: %s" % error)

            outside = await client.call_tool("Read", {"file_path": "/etc/passwd"})
            check(outside.is_error and data(outside)["error"]["name"] == "outside", "a path outside: %s" % text(outside))


async def ask(way, binary, mode, version):
    """Writes that need a person's word, asked about in the client's own dialog (elicitation)."""
    with tempfile.TemporaryDirectory(prefix="lancet-client-") as base:
        base = os.path.realpath(base)
        root = os.path.join(base, "root")
        os.makedirs(root)
        path = os.path.join(root, "notes.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("one\n")
        answers, questions = [], []

        async def answer(context, params):
            questions.append(params.message)
            action, content = answers.pop(0)
            if content == "meanwhile":
                # Somebody else writes the file while the question is open: the yes comes too late.
                with open(path, "w", encoding="utf-8") as file:
                    file.write("someone else's\n")
                await anyio.sleep(1.5)
                content = None
            if content == "slowly":
                # A person reads before they answer; no one may lose patience or ask again.
                await anyio.sleep(1.5)
                content = {}
            return types.ElicitResult(action=action, content=content)

        extra = ["--mode", "ask", "--ask", "elicit"]
        async with reach(way, version, binary, base, root, extra, mode=mode, elicitation_callback=answer) as client:
            check(client.protocol_version == version, "speaks %s instead of %s" % (client.protocol_version, version))

            async def edit(old, new, *given):
                answers.extend(given)
                result = await client.call_tool("Edit", {"file_path": path, "old_string": old, "new_string": new})
                check(not answers, "a question was not asked: %s" % text(result))
                with open(path, encoding="utf-8") as file:
                    return result, (data(result).get("error") or {}).get("name"), file.read()

            await client.call_tool("Read", {"file_path": path})
            # Words are asked for after a no in the form, and only there.
            words = [("accept", {"decision": "no"}), ("accept", {"reason": "Not this one."})]
            result, error, content = await edit("one", "two", *words)
            check((error, content) == ("declined", "one\n") and "Not this one." in text(result), "no: %s" % text(result))
            asked = questions[-2]
            check("notes.txt" in asked and "-one" in asked and "+two" in asked, "asked %r" % asked)
            for action in ("decline", "cancel"):
                result, error, content = await edit("one", "two", (action, None))
                check((error, content) == ("declined", "one\n"), "%s: %s" % (action, error))
                # No person answers in a few milliseconds.
                check("not answered by a person" in text(result), "%s: %s" % (action, text(result)))
            _, error, content = await edit("one", "two", ("accept", {"Decision": "yes"}))
            check((error, content) == ("declined", "one\n"), "an answer that is not understood: %s" % error)
            _, error, content = await edit("one", "two", ("accept", "slowly"))
            check((error, content) == (None, "two\n"), "a plain accept, after a while: %s" % error)
            result, error, content = await edit("two", "three", ("accept", "meanwhile"))
            check((error, content) == ("stale", "someone else's\n"), "a file that changed meanwhile: %s, %s" % (error, text(result)))
            await client.call_tool("Read", {"file_path": path, "force": True})
            _, error, content = await edit("someone", "nobody", ("accept", {"decision": "session"}))
            check((error, content) == (None, "nobody else's\n"), "session: %s" % error)
            _, error, content = await edit("nobody", "everybody")
            check((error, content) == (None, "everybody else's\n"), "not asked again: %s" % error)
            other = os.path.join(root, "other.txt")
            answers.append(("accept", {"decision": "always"}))
            result = await client.call_tool("Write", {"file_path": other, "content": "x\n"})
            check(not result.is_error, "always: %s" % text(result))
            with open(os.path.join(base, ".config/lancet/lancet.toml"), encoding="utf-8") as file:
                check("Edit(/%s)" % other in file.read(), "no rule was kept")


async def narrow(way, binary, mode, version):
    """The client's own roots: lancet works in what they and its own have in common."""
    with tempfile.TemporaryDirectory(prefix="lancet-client-") as base:
        base = os.path.realpath(base)
        root = os.path.join(base, "root")
        for name in ("app one", "lib"):
            os.makedirs(os.path.join(root, name))
            with open(os.path.join(root, name, "a.txt"), "w", encoding="utf-8") as file:
                file.write("in %s\n" % name)
        roots, listed = ["app one"], []

        async def tell(context):
            listed.append(list(roots))
            uris = [pathlib.Path(root, name).as_uri() for name in roots]
            return types.ListRootsResult(roots=[types.Root(uri=uri) for uri in uris])

        # A request without a session brings its roots each time.
        alone = way == "http" and version == "2026-07-28"
        async with reach(way, version, binary, base, root, [], mode=mode, list_roots_callback=tell) as client:
            check(client.protocol_version == version, "speaks %s instead of %s" % (client.protocol_version, version))

            async def read(name):
                result = await client.call_tool("Read", {"file_path": os.path.join(root, name, "a.txt"), "force": True})
                return text(result) if not result.is_error else data(result)["error"]["name"]

            check(await read("lib") == "outside", "a path beyond the client's roots is read")
            check("in app one" in await read("app one"), "a path below the client's root is not read")
            found = await client.call_tool("Grep", {"pattern": "in"})
            check(data(found).get("numFiles") == 1, "a search goes beyond the client's roots: %s" % text(found))
            check(listed == [["app one"]] * (3 if alone else 1), "asked %d times" % len(listed))
            roots[:] = ["lib", "gone"]
            if not alone:
                await client.send_roots_list_changed()
            check(await read("app one") == "outside", "a changed list does not count")
            check("in lib" in await read("lib"), "what was narrowed away before stays away")
            check(len(listed) == (5 if alone else 2), "asked %d times" % len(listed))
            roots[:] = ["../elsewhere"]
            if not alone:
                await client.send_roots_list_changed()
            check("in app one" in await read("app one"), "roots with nothing in common are not ignored")


async def main(binary):
    failed = 0
    for way in ("stdio", "http"):
        for talk in (converse, ask, narrow):
            for mode, version in GENERATIONS:
                try:
                    await talk(way, binary, mode, version)
                except BaseException as error:
                    failed += 1
                    print("FAIL %s over %s, mode %s: %s" % (talk.__name__, way, mode, flat(error)))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


def flat(error):
    """What really went wrong: task groups wrap it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return "%s: %s" % (type(error).__name__, error)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__)
        sys.exit(2)
    sys.exit(anyio.run(main, os.path.abspath(sys.argv[1])))
