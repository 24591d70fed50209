"""What goes wrong: refusals of lancet, and faults of the connection to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Literal, Optional

if TYPE_CHECKING:
    from ._answer import Answer

#: The names of refusals; docs/errors.md says what each means. They are the same in all tools.
RefusalName = Literal[
    "secret", "no_change", "denied", "exists", "missing", "notebook", "not_read", "stale", "not_found", "ambiguous",
    "too_large", "invalid", "outside", "special", "binary", "unencodable", "declined", "count", "leaked", "conflict", "io",
    "busy", "damaged", "timeout", "internal", "waiting",
]  # fmt: skip


class LancetError(Exception):
    """Everything that this package raises."""


class Refused(LancetError):
    """A call that lancet refused: the file is as it was. The text says why, and what to send next."""

    def __init__(self, answer: Answer) -> None:
        error = answer.data.get("error") or {}
        super().__init__(answer.text)
        #: The whole answer; `answer.data["error"]` has what belongs to this kind of refusal.
        self.answer = answer
        #: The stable name.
        self.name: RefusalName = error.get("name", "internal")
        #: The stable number; it is that of the tool's own table.
        self.code: int = error.get("code", 33)

    @property
    def text(self) -> str:
        """Why, and what to do next, in lancet's words."""
        return self.answer.text


class ServerDied(LancetError):
    """The program ended, or never started, while it was needed. A new client with the same session names goes on from there."""

    def __init__(self, status: Optional[int], log: List[str]) -> None:
        ended = "was ended by signal %d" % -status if status is not None and status < 0 else "ended with status %s" % status
        tail = "".join("\n  " + line for line in log[-5:])
        super().__init__(
            "lancet %s. A write that was under way is whole or was not made; Lancet.changes() tells which.%s" % (ended, tail)
        )
        #: The exit status, negative for a signal.
        self.status = status
        #: The last lines of its standard error.
        self.log = log


class CallTimeout(LancetError, TimeoutError):
    """A call that got no answer in time. It was cancelled; a write may have been made before that: Session.changes() tells."""


class ProtocolError(LancetError):
    """A JSON-RPC error: the request never reached a tool."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__("%s (JSON-RPC error %d)" % (message, code))
        self.code = code


class BinaryNotFound(LancetError):
    """The program `lancet` is not where this package was installed."""
