"""A language server that misbehaves in the way its first argument says."""
import json
import sys
import threading
import time

WAY = sys.argv[1]
OUT = sys.stdout.buffer
LOCK = threading.Lock()
TEXTS = {}
ANSWERS = {}


def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    with LOCK:
        OUT.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        OUT.flush()


def raw(data):
    with LOCK:
        OUT.write(data)
        OUT.flush()


def receive():
    length = 0
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        if line == b"\r\n":
            return json.loads(sys.stdin.buffer.read(length))
        name, value = line.split(b":")
        if name.lower() == b"content-length":
            length = int(value)


def problems(text):
    """Every BAD in the text, counted in UTF-16 units."""
    found = []
    for number, line in enumerate(text.split("\n")):
        place = line.find("BAD")
        if place >= 0:
            units = len(line[:place].encode("utf-16-le")) // 2
            start = {"line": number, "character": units}
            end = {"line": number, "character": units + 3}
            word = line[place:].split()[0]
            found.append({"range": {"start": start, "end": end}, "severity": 1, "message": word})
    return found


def publish(uri, version, text):
    params = {"uri": uri, "diagnostics": problems(text)}
    if version is not None:
        params["version"] = version
    send(method="textDocument/publishDiagnostics", params=params)


def changed(uri, version, text, before):
    if WAY == "silent" and before is not None:
        return
    if WAY == "asks" and before is not None and ANSWERS != {"a": [None, None], "b": None, "c": -32601}:
        return
    if WAY == "wrong-version" and before is not None:
        publish(uri, version - 1, text)
        publish(uri, version + 1000, text)
    elif WAY == "no-version":
        publish(uri, None, text)
    elif WAY == "slow" and before is not None:
        def later():
            time.sleep(1)
            publish(uri, version, text)
        threading.Thread(target=later).start()
    elif WAY == "flood" and before is not None:
        while True:
            send(method="window/logMessage", params={"type": 3, "message": "x" * 100})
    elif WAY == "nonsense" and before is not None:
        raw(b"this is no header\r\n\r\n{}")
    elif WAY == "no-message" and before is not None:
        raw(b"Content-Length: 2\r\n\r\n[]")
    elif WAY == "endless" and before is not None:
        raw(b"Content-Length: 99999999999\r\n\r\n")
        while True:
            raw(b"x" * 65536)
    else:
        publish(uri, version, text)


def main():
    while True:
        message = receive()
        method, params = message.get("method"), message.get("params") or {}
        if method == "initialize":
            if WAY == "mute":
                continue
            sync = {"openClose": True, "change": 2 if WAY == "ranges" else 1, "save": True}
            send(id=message["id"], result={"capabilities": {"textDocumentSync": sync}})
        elif method == "initialized" and WAY == "asks":
            send(id="a", method="workspace/configuration", params={"items": [{}, {"section": "x"}]})
            send(id="b", method="window/showMessageRequest", params={"type": 1, "message": "?"})
            send(id="c", method="no/such/method", params={})
        elif method == "shutdown":
            send(id=message["id"], result=None)
        elif method == "exit":
            return
        elif method == "textDocument/didOpen":
            document = params["textDocument"]
            TEXTS[document["uri"]] = document["text"]
            changed(document["uri"], document["version"], document["text"], None)
        elif method == "textDocument/didChange":
            uri, before = params["textDocument"]["uri"], TEXTS[params["textDocument"]["uri"]]
            text = before
            for change in params["contentChanges"]:
                text = apply(text, change)
            TEXTS[uri] = text
            changed(uri, params["textDocument"]["version"], text, before)
        elif method is None:
            ANSWERS[message["id"]] = message.get("result", message.get("error", {}).get("code"))


def apply(text, change):
    if "range" not in change:
        return change["text"]
    units = text.encode("utf-16-le")
    lines, start = [0], 0
    for place, character in enumerate(text):
        start += len(character.encode("utf-16-le"))
        if character == "\n":
            lines.append(start)
    def offset(position):
        return lines[position["line"]] + 2 * position["character"]
    first, last = offset(change["range"]["start"]), offset(change["range"]["end"])
    return (units[:first] + change["text"].encode("utf-16-le") + units[last:]).decode("utf-16-le")


main()
