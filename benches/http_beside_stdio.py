#!/usr/bin/env python3
"""How long calls take over HTTP (`lancet serve`) beside standard input and output (`lancet mcp`), in one run.

    http_beside_stdio.py BINARY [CALLS]

One client each, calls one after the other, taking turns between the two ways, so that other work on the machine falls on both alike.
Over HTTP the client keeps its connection, as the SDKs do. Prints the median and the 95th percentile in milliseconds.
"""
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Stdio:
    def __init__(self, binary, root, state):
        command = [binary, "mcp", "--root", root, "--state-dir", state, "--mode", "accept-edits"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0
        self.request("initialize", HELLO)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Http:
    def __init__(self, binary, root, state):
        command = [binary, "serve", "--listen", "127.0.0.1:0", "--root", root, "--state-dir", state, "--mode", "accept-edits"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        address = self.process.stderr.readline().split("//")[1].split("/")[0]
        self.connection = http.client.HTTPConnection(address)
        with open(os.path.join(state, "serve-token"), encoding="utf-8") as file:
            token = file.read().strip()
        self.headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        self.number = 0
        self.request("initialize", HELLO)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message})
        self.connection.request("POST", "/mcp", body, self.headers)
        answer = self.connection.getresponse()
        if session := answer.getheader("mcp-session-id"):
            self.headers["Mcp-Session-Id"] = session
        return answer.read().decode()

    def request(self, method, params):
        self.number += 1
        text = self.send({"id": self.number, "method": method, "params": params})
        data = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
        return json.loads(data[-1] if data else text)

    def close(self):
        self.process.terminate()
        self.process.wait()


def main(binary, calls):
    with tempfile.TemporaryDirectory(prefix="lancet-bench-") as base:
        ways, times = {}, {}
        for name, way in (("stdio", Stdio), ("http", Http)):
            root = os.path.join(base, name)
            os.makedirs(root)
            path = os.path.join(root, "a.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("".join("line %d of a file\n" % number for number in range(200)) + "count 0\n")
            ways[name] = (way(binary, root, os.path.join(base, "state-" + name)), path)
        for number in range(calls):
            for name, (client, path) in ways.items():
                edit = {"file_path": path, "old_string": "count %d\n" % number, "new_string": "count %d\n" % (number + 1)}
                for tool, arguments in (("Read", {"file_path": path, "force": True}), ("Edit", edit)):
                    began = time.perf_counter()
                    answer = client.request("tools/call", {"name": tool, "arguments": arguments})
                    times.setdefault((tool, name), []).append((time.perf_counter() - began) * 1000)
                    assert not answer["result"].get("isError"), answer
        print("| call | stdio, median | stdio, 95 % | HTTP, median | HTTP, 95 % |\n|---|---|---|---|---|")
        for tool in ("Read", "Edit"):
            cells = []
            for name in ways:
                all_times = times[tool, name]
                cells += ["%.2f ms" % statistics.median(all_times), "%.2f ms" % statistics.quantiles(all_times, n=20)[-1]]
            print("| %s | %s |" % (tool, " | ".join(cells)))
        for client, _ in ways.values():
            client.close()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    main(os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 300)
