"""A model that plays a script: a local HTTP server which answers an agent's requests with the tool calls that a test chose.

The script is a generator. It yields a `Call` (or a list of them) and is sent the `Result` (or the list) that the agent sent
back; what it does between two yields happens between two calls of the agent. Every request is kept for the test to look at.
"""
import json
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import wire

# The most bytes of a request that are read: an agent that sends more is broken, and the test fails.
MOST_BYTES = 64 << 20

# Gemini CLI asks now and then how sure the model is that the conversation goes round in circles, and asks again and again until it
# gets JSON. Zeros are a no. Other requests for JSON get none: an answer could change what an agent's own tools do.
CIRCLES = "unproductive_state_confidence"


class Played:
    """A script that is being played, in one conversation."""

    def __init__(self, script):
        self.script = script
        self.pending, self.last, self.finished, self.failure = [], None, False, None

    def answer(self, request):
        """The next reply: (text, calls)."""
        if self.finished:
            return "done", []
        if self.pending:
            if any(call.id not in request.results for call in self.pending[0]):
                return self.last  # The agent asked again without the results: a retry.
            calls, single = self.pending
            results = [request.results[call.id] for call in calls]
            sent = results[0] if single else results
        else:
            sent = None
        try:
            step = self.script.send(sent) if self.pending else next(self.script)
        except StopIteration:
            self.finished = True
            return "done", []
        except Exception:  # noqa: BLE001  The failure of a script is the failure of its test.
            self.failure, self.finished = traceback.format_exc(), True
            return "the script failed", []
        single = isinstance(step, wire.Call)
        calls = [step] if single else list(step)
        self.pending = (calls, single)
        self.last = ("", calls)
        return self.last


class Model:
    """The server, for one run of one agent at a time."""

    def __init__(self):
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()
        self.play(iter(()))

    @property
    def address(self):
        return "http://127.0.0.1:%d" % self.server.server_address[1]

    def play(self, script, main=lambda request: bool(request.tools), sub_agents=()):
        """Takes a script for the next run; `main` says which requests belong to it. Others get a word for an answer.

        `sub_agents` are pairs of a text and a script: a request in which the text stands, and not the person's prompt, is of the
        sub-agent that was given the text, and is answered by that script. The person's prompt is `self.prompt`.
        """
        with self.lock:
            self.main, self.played = main, Played(script)
            self.sub_agents = [(text, Played(script)) for text, script in sub_agents]
            self.requests, self.others, self.prompt = [], [], None

    @property
    def finished(self):
        return self.played.finished

    @property
    def failure(self):
        return self.played.failure or next((played.failure for _, played in self.sub_agents if played.failure), None)

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def _answer(self, format_, request):
        """The next reply of the script: (text, calls)."""
        if not self.main(request):
            self.others.append(request)
            asks_for_circles = CIRCLES in ((request.schema or {}).get("properties") or {})
            return json.dumps(wire.blank(request.schema)) if asks_for_circles else "ok", []
        for text, played in self.sub_agents:
            # The parent has the text, too, in the call that started the sub-agent.
            sent = json.dumps(request.body)
            if text in sent and self.prompt not in sent:
                return played.answer(request)
        self.requests.append(request)
        return self.played.answer(request)

    def _handler(self):
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_words):
                pass

            def reply(self, value, status=200):
                stream = isinstance(value, bytes)
                body = value if stream else json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_HEAD(self):
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_GET(self):
                self.reply({"object": "list", "data": [], "models": []})

            def do_POST(self):
                length = int(self.headers.get("Content-Length") or 0)
                if length > MOST_BYTES:
                    self.reply({"error": {"message": "too large"}}, 413)
                    return
                data = self.rfile.read(length)
                format_ = wire.of_path(self.path)
                if self.path.partition("?")[0].endswith((":countTokens", "/count_tokens")):
                    self.reply({"totalTokens": 10, "input_tokens": 10})
                    return
                if format_ is None:
                    self.reply({"error": {"message": "no such path"}}, 404)
                    return
                request = format_.read(json.loads(data), self.path)
                with model.lock:
                    text, calls = model._answer(format_, request)
                self.reply(format_.write(request, text, calls))

        return Handler
