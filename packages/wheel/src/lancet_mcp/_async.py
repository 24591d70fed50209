"""The client for asyncio."""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from types import TracebackType
from typing import Any, Awaitable, Callable, Coroutine, Dict, Iterable, List, Mapping, Optional, Type, TypeVar, Union

from . import _formats
from ._answer import Answer
from ._approval import Decision, Form, Question
from ._errors import CallTimeout
from ._formats import Format
from ._program import Change, Program
from ._tools import Tools

T = TypeVar("T")


class AsyncLancet(Program[Union[Decision, Awaitable[Decision]]]):
    """A running lancet. Sessions and tasks may share it; their calls run at the same time. `approve` may be a coroutine function.

    A cancelled task cancels its call. A write may have been made before that: Session.changes() tells.
    """

    def session(self, name: Optional[str] = None) -> AsyncSession:
        """A conversation: a new one, or the one of this name (`A-Z a-z 0-9 . _ -`), which may be of an earlier process."""
        return AsyncSession(self, name)

    async def instructions(self) -> str:
        """A few lines for the system prompt."""
        told = await self._wait("server/discover", {"_meta": self._meta}, self._timeout)
        return str(told.get("instructions") or "")

    async def tools(self, format: Format, *, strict: bool = False) -> List[Dict[str, Any]]:
        """The tools on offer, as the value of `tools` in a request to the API; `strict` for schemas in the provider's strict form."""
        return await _in_a_thread(functools.partial(self._tools, format, strict))

    async def changes(self) -> List[Change]:
        """All changes below the roots, newest first, whoever made them through lancet."""
        return await _in_a_thread(functools.partial(self._changes, None, None))

    async def undo(
        self,
        operation: str,
        *,
        merge: bool = False,
        keep_going: bool = False,
        protected: bool = False,
        dry_run: bool = False,
    ) -> Answer:
        """Undoes one change by its id. AsyncSession.undo explains the options."""
        return await _in_a_thread(
            functools.partial(
                self._undo, [operation], merge=merge, keep_going=keep_going, protected=protected, dry_run=dry_run
            )
        )

    async def close(self) -> None:
        """Ends the program, after a write that has begun."""
        await _in_a_thread(self._connection.close)

    async def __aenter__(self) -> AsyncLancet:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()

    async def _wait(self, method: str, params: Mapping[str, Any], left: Optional[float]) -> Dict[str, Any]:
        number, future = self._connection.request(method, params)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), left)
        except asyncio.TimeoutError:
            self._connection.cancel(number, "it took too long")
            raise CallTimeout("no answer within the time limit; the call was cancelled, and changes() tells what was written") from None
        except BaseException:
            self._connection.cancel(number, "the caller was cancelled")
            raise

    async def _decision(self, question: Question) -> Decision:
        decided = self._approve(question) if self._approve else "no"
        return await decided if inspect.isawaitable(decided) else decided

    async def _call(
        self, session: AsyncSession, tool: str, arguments: Any, meta: Dict[str, Any], timeout: Optional[float]
    ) -> Answer:
        left = self._timeout if timeout is None else timeout
        call = self._call_params(session.name, tool, arguments, meta)
        decision: object = "no"
        with self._progress_of(call):
            while True:
                began = time.monotonic()
                result = await self._wait("tools/call", call.params, left)
                left = None if left is None else max(left - (time.monotonic() - began), 0.001)
                form = Form.of(result)
                if form is None:
                    break
                question = form.question(tool, arguments, session.name)
                if question is not None:
                    try:
                        decision = await self._decision(question)
                    except BaseException as error:
                        self._unanswered(call, form, error)
                        raise
                call.params = call.again(form.filled(decision))
        return Answer.of_result(result)


class AsyncSession(Tools[Coroutine[Any, Any, Answer]]):
    __doc__ = Tools.__doc__

    def __init__(self, lancet: AsyncLancet, name: Optional[str]) -> None:
        super().__init__(lancet._roots[0], name)
        self._lancet = lancet

    async def call(
        self,
        tool: str,
        arguments: Any,
        *,
        turn: Optional[str] = None,
        call: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Answer:
        """Carries out what a model asked for. A refusal is an answer, too: the model is to read it (`answer.is_error`)."""
        return await self._lancet._call(self, tool, arguments, self._call_meta(turn, call), timeout)

    async def dispatch(self, format: Format, items: Iterable[Any], *, turn: Optional[str] = None) -> List[Dict[str, Any]]:
        """Answers the tool calls of a model's message, one after the other, in the form of the next request.

        `items` are for anthropic the `content` of the message, for openai its `tool_calls`, for responses the `output`, for gemini
        the `parts`. The result has tool_result blocks, messages, input items or parts.
        """
        answered = []
        for call in _formats.calls(format, items):
            answered.append((call, await self.call(call.name, call.arguments, turn=turn, call=call.id)))
        return _formats.results(format, answered)

    async def changes(self, turn: Optional[str] = None) -> List[Change]:
        """The changes of this session, or of one turn, newest first."""
        return await _in_a_thread(functools.partial(self._lancet._changes, self.name, turn))

    async def undo(
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
        return await _in_a_thread(
            functools.partial(
                self._lancet._undo, which, merge=merge, keep_going=keep_going, protected=protected, dry_run=dry_run
            )
        )

    async def _checked(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        answer = await self.call(tool, arguments)
        if answer.refused:
            raise answer.refused
        return answer


async def _in_a_thread(work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, work)
