"""A language server that plans renames by looking for whole words in *.txt, and misbehaves in the way its first argument says.

It reads the project once, when it begins: a file that another program changes later is another for it than on the disk,
until it is told.
"""
import json
import os
import re
import sys
import time

WAY = sys.argv[1]
OUT = sys.stdout.buffer
OPEN = {}
INDEX = {}
ROOT = ""
ASKED = 0
FILTERS = {"filters": [{"scheme": "file", "pattern": {"glob": "**/*.txt", "matches": "file"}}]}


def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    OUT.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    OUT.flush()


def receive():
    length = 0
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        if line == b"\r\n":
            return json.loads(sys.stdin.buffer.read(length))
        name, value = line.split(b":", 1)
        if name.lower() == b"content-length":
            length = int(value)


def read_project():
    for folder, _, names in os.walk(ROOT):
        for name in names:
            if name.endswith(".txt") or name == ".env":
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8", newline="") as file:
                    INDEX["file://" + path] = file.read()


def units(text):
    return len(text.encode("utf-16-le")) // 2


def edits(text, pattern, new):
    """What replaces the first group of every match, with places in UTF-16 units."""
    found = []
    for number, line in enumerate(text.split("\n")):
        for match in re.finditer(pattern, line):
            start = {"line": number, "character": units(line[: match.start(1)])}
            end = {"line": number, "character": units(line[: match.end(1)])}
            found.append({"range": {"start": start, "end": end}, "newText": new})
            if WAY == "first":
                break
    return found


def plan(pattern, new):
    """The plan over all files, in the form and with the faults that the way says."""
    texts = {**INDEX, **{uri: text for uri, (_, text) in OPEN.items()}}
    if WAY != "secret":
        texts.pop("file://" + ROOT + "/.env", None)
    changes = {uri: edits(text, pattern, new) for uri, text in sorted(texts.items())}
    changes = {uri: found for uri, found in changes.items() if found}
    first = next(iter(changes), None)
    if WAY == "overlap":
        changes[first].append(changes[first][0])
    elif WAY == "behind-the-end":
        place = {"line": 9999, "character": 0}
        changes[first].append({"range": {"start": place, "end": place}, "newText": "x"})
    elif WAY == "cut-character":
        text = texts[first].split("\n")[0]
        place = {"line": 0, "character": units(text[: text.index("😀")]) + 1}
        changes[first].insert(0, {"range": {"start": place, "end": place}, "newText": "x"})
    elif WAY == "outside":
        changes["file:///etc/hostname"] = [changes[first][0]]
    elif WAY == "protected":
        changes["file://" + ROOT + "/.vscode/settings.txt"] = [changes[first][0]]
    elif WAY == "elsewhere":
        changes.pop(first)
    if WAY in ("versions", "wrong-version"):
        add = 1000 if WAY == "wrong-version" else 0
        version = lambda uri: OPEN[uri][0] + add if uri in OPEN else None
        return {"documentChanges": [
            {"textDocument": {"uri": uri, "version": version(uri)}, "edits": found} for uri, found in changes.items()
        ]}
    if WAY == "creates":
        return {"documentChanges": [{"kind": "create", "uri": "file://" + ROOT + "/new.txt"}]}
    return {"changes": changes}


def word_at(params):
    uri, place = params["textDocument"]["uri"], params["position"]
    line = OPEN[uri][1].split("\n")[place["line"]]
    for match in re.finditer(r"\w+", line):
        if units(line[: match.start()]) <= place["character"] <= units(line[: match.end()]):
            return match, line
    return None, line


def prepared(params):
    match, line = word_at(params)
    if match is None or WAY == "nothing":
        return None
    number, start, end = params["position"]["line"], units(line[: match.start()]), units(line[: match.end()])
    if WAY == "other-text":
        start, end = 0, 3
    return {"start": {"line": number, "character": start}, "end": {"line": number, "character": end}}


def answer(id, params, make):
    global ASKED
    ASKED += 1
    if WAY == "dies":
        sys.exit(3)
    if WAY == "refuses":
        return send(id=id, error={"code": -32001, "message": "that name is taken " + "x" * 2000})
    if WAY == "overtaken" and ASKED < 3:
        return send(id=id, error={"code": -32801, "message": "content modified"})
    if WAY == "slow":
        time.sleep(3)
    if WAY == "restless":
        with open(ROOT + "/b.txt", "a", encoding="utf-8") as file:
            file.write("more\n")
    send(id=id, result=make(params))


def renamed(params):
    match, _ = word_at(params)
    return plan(r"\b(%s)\b" % re.escape(match.group()), params["newName"])


def moved(params):
    one = params["files"][0]
    name = lambda uri: os.path.splitext(os.path.basename(uri))[0]
    result = plan(r"\buse (%s)\b" % re.escape(name(one["oldUri"])), name(one["newUri"]))
    if WAY == "moves-itself":
        steps = [{"textDocument": {"uri": uri, "version": None}, "edits": found} for uri, found in result["changes"].items()]
        return {"documentChanges": [{"kind": "rename", **one}, *steps]}
    return result


def main():
    global ROOT
    while True:
        message = receive()
        method, params, id = message.get("method"), message.get("params") or {}, message.get("id")
        if method == "initialize":
            ROOT = params["rootPath"]
            read_project()
            capabilities = {"textDocumentSync": {"openClose": True, "change": 1, "save": True}}
            if WAY not in ("registers", "unable"):
                capabilities["renameProvider"] = {"prepareProvider": True}
                capabilities["workspace"] = {"fileOperations": {"willRename": FILTERS, "didRename": FILTERS}}
            send(id=id, result={"capabilities": capabilities})
        elif method == "initialized" and WAY == "registers":
            send(id="r", method="client/registerCapability", params={"registrations": [
                {"id": "1", "method": "textDocument/rename", "registerOptions": {"prepareProvider": True}},
                {"id": "2", "method": "workspace/willRenameFiles", "registerOptions": FILTERS},
            ]})
        elif method == "shutdown":
            send(id=id, result=None)
        elif method == "exit":
            return
        elif method in ("textDocument/didOpen", "textDocument/didChange"):
            document = params["textDocument"]
            text = document["text"] if "text" in document else params["contentChanges"][-1]["text"]
            OPEN[document["uri"]] = (document["version"], text)
            found = {"uri": document["uri"], "version": document["version"], "diagnostics": []}
            send(method="textDocument/publishDiagnostics", params=found)
        elif method == "textDocument/didClose":
            OPEN.pop(params["textDocument"]["uri"], None)
        elif method == "workspace/didRenameFiles":
            with open(ROOT + "/told.log", "a", encoding="utf-8") as file:
                file.write(json.dumps(params["files"]) + "\n")
        elif method == "textDocument/prepareRename":
            send(id=id, result=prepared(params))
        elif method == "textDocument/rename":
            answer(id, params, renamed)
        elif method == "workspace/willRenameFiles":
            answer(id, params, moved)


main()
