"""How the program is started, and what it tells besides answers."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from . import _binary
from ._answer import Answer
from ._approval import Form, Question
from ._connection import Connection
from ._errors import BinaryNotFound, LancetError
from ._formats import FORMATS, Format
from ._version import VERSION

#: `ask`: every write is asked about. `accept-edits`: writes inside the roots go through. `plan`: nothing is written. `bypass`: nothing
#: is asked but about protected names. Protected names are asked about in every mode.
Mode = Literal["ask", "accept-edits", "plan", "bypass"]
Path = Union[str, "os.PathLike[str]"]
D = TypeVar("D")

#: How long a command of the shell may take.
_COMMAND = 120.0
_PROTOCOL = "io.modelcontextprotocol/"


@dataclass(frozen=True)
class Progress:
    """A call that has been at work for over half a second."""

    session: str
    tool: str
    message: str


@dataclass(frozen=True)
class Change:
    """One operation of the history."""

    operation: str
    time: str
    tool: str
    session: str
    turn: Optional[str]
    call: Optional[str]
    #: The paths of its files.
    files: List[str]
    #: Everything that `lancet log --json` tells of it.
    data: Dict[str, Any]


@dataclass
class CallParams:
    """The parameters of one call, and of its repetitions with an answer."""

    session: str
    tool: str
    params: Dict[str, Any]

    def again(self, filled: Mapping[str, Any]) -> Dict[str, Any]:
        """The same call with a form filled in."""
        return {**self.params, **filled}


class Program(Generic[D]):
    """A running lancet, and the commands of the same program. `Lancet` and `AsyncLancet` add how to wait."""

    def __init__(
        self,
        root: Union[Path, Sequence[Path]],
        *,
        approve: Optional[Callable[[Question], D]] = None,
        mode: Optional[Mode] = None,
        tools: Optional[str] = None,
        prefix: Optional[str] = None,
        state_dir: Optional[Path] = None,
        config: Optional[Path] = None,
        read_roots: Sequence[Path] = (),
        timeout: Optional[float] = None,
        on_log: Optional[Callable[[str], None]] = None,
        log: Literal["error", "warn", "info", "debug"] = "warn",
        on_progress: Optional[Callable[[Progress], None]] = None,
        client: Tuple[str, str] = ("lancet_mcp", VERSION),
        binary: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
    ) -> None:
        """Starts the program.

        root: the folder, or the folders, that may be read and written; relative paths of the methods start at the first.
        approve: is asked about writes that need a person's approval, in the thread or task of the call. Without it they are declined.
        mode: what happens to writes. Default: `ask` with `approve`, else that of the user's settings, else `accept-edits`.
        tools: the tools on offer, as `lancet mcp --tools` takes them: `default,-NotebookEdit`, `all`, `text-editor`.
        prefix: is put before every tool's name, where your agent has tools of the same names: `lancet_`.
        state_dir: where history and sessions are kept. Default: the user's own.
        config: a settings file over the user's.
        read_roots: folders that may be read and are never written.
        timeout: the seconds that a call may take, the time of `approve` not counted; lancet itself ends a call after 60.
        on_log, log: is called with each line of the log, from this level on. Called in a thread of its own.
        on_progress: receives the progress of long calls. Called in its own thread.
        client: name and version of your program, for the history.
        binary: the program. Default: `LANCET_BIN`, else that of this package.
        env: its environment. Default: that of this process.
        """
        roots = [root] if isinstance(root, (str, os.PathLike)) else list(root)
        self._roots = [os.path.abspath(folder) for folder in roots]
        if not self._roots:
            raise ValueError("lancet needs a folder to work in")
        self._approve, self._timeout, self._on_progress = approve, timeout, on_progress
        self._binary, self._env = _binary.find(binary), env
        self._shared: List[str] = []
        for option, folders in (("--root", self._roots), ("--read-root", [os.path.abspath(folder) for folder in read_roots])):
            for folder in folders:
                self._shared += [option, folder]
        for option, path in (("--state-dir", state_dir), ("--config", config)):
            if path is not None:
                self._shared += [option, os.path.abspath(path)]
        mode = mode or ("ask" if approve else None)
        self._offered: List[str] = []
        for option, value in (("--mode", mode), ("--tools", tools), ("--prefix", prefix)):
            if value:
                self._offered += [option, value]
        asked = ["--ask", "elicit"] if approve else []
        command = [self._binary, "mcp", *self._shared, *self._offered, *asked, "--log", log]
        self._meta: Dict[str, Any] = {
            _PROTOCOL + "protocolVersion": "2026-07-28",
            _PROTOCOL + "clientInfo": {"name": client[0], "version": client[1]},
            _PROTOCOL + "clientCapabilities": {"elicitation": {}} if approve else {},
            # The data stays in this program, whatever name the builder gives it.
            "lancet/data": "full",
        }
        # Those of running calls, by the token of their progress.
        self._running: Dict[str, Tuple[str, str]] = {}
        self._connection = Connection(command, env, on_log, self._notified)

    @property
    def pid(self) -> int:
        """The id of the process that serves the calls."""
        return self._connection.pid

    def _call_params(self, session: str, tool: str, arguments: Any, meta: Mapping[str, Any]) -> CallParams:
        params = {"name": tool, "arguments": arguments, "_meta": {**self._meta, **meta}}
        return CallParams(session, tool, params)

    @contextlib.contextmanager
    def _progress_of(self, call: CallParams) -> Iterator[None]:
        """Asks for the progress of a call if there is a receiver for it."""
        if self._on_progress is None:
            yield
            return
        token = uuid.uuid4().hex
        call.params["_meta"]["progressToken"] = token
        self._running[token] = (call.session, call.tool)
        try:
            yield
        finally:
            del self._running[token]

    def _unanswered(self, call: CallParams, form: Form, error: BaseException) -> None:
        """Ends a call whose question was not answered; nothing is written, and its answer is not awaited."""
        with contextlib.suppress(LancetError):
            self._connection.request("tools/call", call.again(form.filled(error)))

    def _notified(self, method: str, params: Mapping[str, Any]) -> None:
        running = self._running.get(str(params.get("progressToken")))
        if method == "notifications/progress" and self._on_progress and running:
            self._on_progress(Progress(*running, message=str(params.get("message", ""))))

    def _run(self, command: Sequence[str]) -> Tuple[int, str, str]:
        """Runs a command of the program: its exit status, what it printed, and its errors."""
        words = [self._binary, command[0], *self._shared, *command[1:]]
        try:
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self._env, timeout=_COMMAND
            )
        except OSError as error:
            raise BinaryNotFound("%s cannot be started: %s" % (self._binary, error.strerror)) from error
        except subprocess.TimeoutExpired as error:
            raise LancetError("lancet %s did not end within %d s" % (command[0], _COMMAND)) from error
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    def _tools(self, format: Format, strict: bool) -> List[Dict[str, Any]]:
        if format not in FORMATS:
            raise ValueError("the format is one of %s, and not %r" % (", ".join(FORMATS), format))
        status, out, error = self._run(["tools", "--format", format, *(["--strict"] if strict else []), *self._offered])
        if status != 0:
            raise LancetError(error.strip() or out.strip())
        listed: List[Dict[str, Any]] = json.loads(out)
        return listed

    def _changes(self, session: Optional[str], turn: Optional[str]) -> List[Change]:
        which = (["--session", session] if session else []) + (["--turn", turn] if turn else [])
        status, out, error = self._run(["log", "--json", *which])
        listed = [json.loads(line) for line in out.splitlines()]
        if status != 0 and not (listed and listed[0].get("error", {}).get("name") == "not_found"):
            raise LancetError(error.strip() or out.strip())
        return [
            Change(
                operation=entry["operation"],
                time=entry["time"],
                tool=entry["tool"],
                session=entry["session"],
                turn=entry.get("turn"),
                call=entry.get("call"),
                files=[file["file_path"] for file in entry["files"]],
                data=entry,
            )
            for entry in listed
            if "operation" in entry
        ]

    def _undo(self, which: Sequence[str], *, merge: bool, keep_going: bool, protected: bool, dry_run: bool) -> Answer:
        flags = {"--merge": merge, "--keep-going": keep_going, "--yes-protected": protected, "--dry-run": dry_run}
        chosen = [flag for flag, given in flags.items() if given]
        status, out, error = self._run(["undo", *which, "--json", "--yes", *chosen])
        try:
            answer = Answer.of_command(json.loads(out))
        except ValueError:
            raise LancetError(error.strip() or "lancet undo ended with status %d" % status) from None
        if answer.refused and answer.data["error"].get("name") == "usage":
            raise LancetError(answer.text)
        if answer.refused:
            raise answer.refused
        return answer
