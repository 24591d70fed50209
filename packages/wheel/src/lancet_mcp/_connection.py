"""One running `lancet mcp`, and JSON-RPC with it. Sync and async clients wait for the same futures."""

from __future__ import annotations

import itertools
import json
import subprocess
import threading
import traceback
from collections import deque
from concurrent.futures import Future, InvalidStateError
from queue import SimpleQueue
from typing import IO, Any, Callable, Deque, Dict, List, Mapping, Optional, Sequence, Tuple

from ._errors import BinaryNotFound, ProtocolError, ServerDied

#: The longest message that the server takes, the longest that is read, and the longest line of the log, in bytes.
_SENT, _MESSAGE, _LINE = 64 * 1024 * 1024, 256 * 1024 * 1024, 64 * 1024
#: How many lines of the log are kept for the message about a server that died.
_KEPT = 50
#: How long the server may take to end by itself: it ends a write that has begun.
_PATIENCE = 15.0

Result = Dict[str, Any]


class Connection:
    """A child process that is spoken to. Every method may be called from any thread."""

    def __init__(
        self,
        command: Sequence[str],
        env: Optional[Mapping[str, str]],
        on_log: Optional[Callable[[str], None]],
        on_notification: Callable[[str, Mapping[str, Any]], None],
    ) -> None:
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=env,
                # Ctrl-C at the host's terminal is for the host; the server ends when its input does.
                start_new_session=True,
            )
        except OSError as error:
            raise BinaryNotFound("%s cannot be started: %s" % (command[0], error.strerror)) from error
        self._on_log, self._on_notification = on_log, on_notification
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._pending: Dict[int, Future[Result]] = {}
        self._died: Optional[Tuple[Optional[int], List[str]]] = None
        self._log: Deque[str] = deque(maxlen=_KEPT)
        self._outgoing: SimpleQueue[Optional[bytes]] = SimpleQueue()
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._logging = self._begin(self._read_log, self._process.stderr)
        self._reading = self._begin(self._read, self._process.stdout)
        self._writing = self._begin(self._write, self._process.stdin)

    @staticmethod
    def _begin(work: Callable[[IO[bytes]], None], stream: IO[bytes]) -> threading.Thread:
        thread = threading.Thread(target=work, args=(stream,), name="lancet-" + work.__name__, daemon=True)
        thread.start()
        return thread

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def request(self, method: str, params: Mapping[str, Any]) -> Tuple[int, Future[Result]]:
        """Sends a request; its id, and the result to come. The future fails with ServerDied or ProtocolError."""
        number, future = next(self._ids), Future[Result]()
        line = _line({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self._lock:
            if self._died is not None:
                raise ServerDied(*self._died)
            self._pending[number] = future
        self._outgoing.put(line)
        return number, future

    def cancel(self, number: int, reason: str) -> None:
        """Gives a request up. The server stops its work and answers nothing."""
        with self._lock:
            if self._pending.pop(number, None) is None:
                return
        params = {"requestId": number, "reason": reason}
        self._outgoing.put(_line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))

    def close(self) -> None:
        """Ends the server: it finishes a write that has begun, and is killed only if it does not end."""
        self._outgoing.put(None)
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in (self._writing, self._reading, self._logging):
            # A callback may close the client.
            if thread is not threading.current_thread():
                thread.join(_PATIENCE)

    def _write(self, stream: IO[bytes]) -> None:
        try:
            with stream:
                for line in iter(self._outgoing.get, None):
                    stream.write(line)
                    stream.flush()
        except OSError:
            pass  # The server is gone, which the end of its output tells.

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            for line in iter(lambda: stream.readline(_MESSAGE), b""):
                try:
                    message = json.loads(line)
                except ValueError:
                    break
                if "method" in message:
                    _told(self._on_notification, message["method"], message.get("params") or {})
                else:
                    self._settle(message)
        self._outgoing.put(None)
        self._end()

    def _settle(self, message: Mapping[str, Any]) -> None:
        with self._lock:
            future = self._pending.pop(message.get("id") or 0, None)
        if future is None:
            return  # It was cancelled.
        try:
            if "error" in message:
                error = message["error"]
                future.set_exception(ProtocolError(error.get("code", 0), error.get("message", "")))
            else:
                future.set_result(message["result"])
        except InvalidStateError:
            pass  # It was cancelled meanwhile.

    def _end(self) -> None:
        """Tells everybody who waits that the server has ended."""
        try:
            status: Optional[int] = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._logging.join(1.0)
        with self._lock:
            self._died = (status, list(self._log))
            pending, self._pending = self._pending, {}
        for future in pending.values():
            try:
                future.set_exception(ServerDied(*self._died))
            except InvalidStateError:
                pass

    def _read_log(self, stream: IO[bytes]) -> None:
        with stream:
            for line in iter(lambda: stream.readline(_LINE), b""):
                text = line.decode("utf-8", "replace").rstrip("\n")
                self._log.append(text)
                if self._on_log:
                    _told(self._on_log, text)


def _line(message: Mapping[str, Any]) -> bytes:
    # Everything beyond ASCII is escaped: a lone surrogate, which a model can send, has no UTF-8.
    line = json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
    if len(line) > _SENT:
        raise ProtocolError(-32600, "a call has at most %d bytes, and this one has %d" % (_SENT, len(line)))
    return line


def _told(callback: Callable[..., None], *arguments: Any) -> None:
    """Calls the host back. What it raises is printed: there is no caller to raise it to, and reading goes on."""
    try:
        callback(*arguments)
    except Exception:
        traceback.print_exc()
