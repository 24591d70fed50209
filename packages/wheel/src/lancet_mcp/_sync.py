"""The client for programs with threads, or without."""

from __future__ import annotations

import concurrent.futures
import time
from types import TracebackType
from typing import Any, Dict, Iterable, List, Mapping, Optional, Type

from . import _formats
from ._answer import Answer
from ._approval import Decision, Form
from ._errors import CallTimeout
from ._formats import Format
from ._program import Change, Program
from ._tools import Tools


class Lancet(Program[Decision]):
    """A running lancet. Sessions and threads may share it; their calls run at the same time."""

    def session(self, name: Optional[str] = None) -> Session:
        """A conversation: a new one, or the one of this name (`A-Z a-z 0-9 . _ -`), which may be of an earlier process."""
        return Session(self, name)

    def instructions(self) -> str:
        """A few lines for the system prompt."""
        told = self._wait("server/discover", {"_meta": self._meta}, self._timeout)
        return str(told.get("instructions") or "")

    def tools(self, format: Format, *, strict: bool = False) -> List[Dict[str, Any]]:
        """The tools on offer, as the value of `tools` in a request to the API; `strict` for schemas in the provider's strict form."""
        return self._tools(format, strict)

    def changes(self) -> List[Change]:
        """All changes below the roots, newest first, whoever made them through lancet."""
        return self._changes(None, None)

    def undo(
        self,
        operation: str,
        *,
        merge: bool = False,
        keep_going: bool = False,
        protected: bool = False,
        dry_run: bool = False,
    ) -> Answer:
        """Undoes one change by its id. Session.undo explains the options."""
        return self._undo([operation], merge=merge, keep_going=keep_going, protected=protected, dry_run=dry_run)

    def close(self) -> None:
        """Ends the program, after a write that has begun."""
        self._connection.close()

    def __enter__(self) -> Lancet:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _wait(self, method: str, params: Mapping[str, Any], left: Optional[float]) -> Dict[str, Any]:
        number, future = self._connection.request(method, params)
        try:
            return future.result(left)
        except concurrent.futures.TimeoutError:
            self._connection.cancel(number, "it took too long")
            raise CallTimeout("no answer within the time limit; the call was cancelled, and changes() tells what was written") from None
        except BaseException:
            self._connection.cancel(number, "the caller was interrupted")
            raise

    def _call(self, session: Session, tool: str, arguments: Any, meta: Dict[str, Any], timeout: Optional[float]) -> Answer:
        left = self._timeout if timeout is None else timeout
        call = self._call_params(session.name, tool, arguments, meta)
        decision: object = "no"
        with self._progress_of(call):
            while True:
                began = time.monotonic()
                result = self._wait("tools/call", call.params, left)
                left = None if left is None else max(left - (time.monotonic() - began), 0.001)
                form = Form.of(result)
                if form is None:
                    break
                question = form.question(tool, arguments, session.name)
                if question is not None:
                    try:
                        decision = self._approve(question) if self._approve else "no"
                    except BaseException as error:
                        self._unanswered(call, form, error)
                        raise
                call.params = call.again(form.filled(decision))
        return Answer.of_result(result)


class Session(Tools[Answer]):
    __doc__ = Tools.__doc__

    def __init__(self, lancet: Lancet, name: Optional[str]) -> None:
        super().__init__(lancet._roots[0], name)
        self._lancet = lancet

    def call(
        self,
        tool: str,
        arguments: Any,
        *,
        turn: Optional[str] = None,
        call: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Answer:
        """Carries out what a model asked for. A refusal is an answer, too: the model is to read it (`answer.is_error`)."""
        return self._lancet._call(self, tool, arguments, self._call_meta(turn, call), timeout)

    def dispatch(self, format: Format, items: Iterable[Any], *, turn: Optional[str] = None) -> List[Dict[str, Any]]:
        """Answers the tool calls of a model's message, one after the other, in the form of the next request.

        `items` are for anthropic the `content` of the message, for openai its `tool_calls`, for responses the `output`, for gemini
        the `parts`. The result has tool_result blocks, messages, input items or parts.
        """
        calls = _formats.calls(format, items)
        return _formats.results(
            format, [(call, self.call(call.name, call.arguments, turn=turn, call=call.id)) for call in calls]
        )

    def changes(self, turn: Optional[str] = None) -> List[Change]:
        """The changes of this session, or of one turn, newest first."""
        return self._lancet._changes(self.name, turn)

    def undo(
        self,
        turn: Optional[str] = None,
        *,
        merge: bool = False,
        keep_going: bool = False,
        protected: bool = False,
        dry_run: bool = False,
    ) -> Answer:
        """Undoes all changes of this session, or of one turn, at once. Raises Refused `conflict` where a file was changed since.

        merge: where a file was changed since, take out these changes alone, if they do not touch.
        keep_going: leave out the files that were changed since, and name them.
        protected: protected names, too, with the person's token in LANCET_TOKEN; without it they are declined.
        dry_run: show the diff and write nothing.
        """
        which = ["--turn", turn] if turn else ["--session", self.name]
        return self._lancet._undo(which, merge=merge, keep_going=keep_going, protected=protected, dry_run=dry_run)

    def _checked(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        answer = self.call(tool, arguments)
        if answer.refused:
            raise answer.refused
        return answer
