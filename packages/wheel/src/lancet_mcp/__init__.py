"""File tools for AI agents: every edit lands exactly where it was meant, or not at all.

`Lancet` starts the program `lancet` of this package and speaks MCP with it; `AsyncLancet` is the same for asyncio. A session is
one conversation of one model::

    from lancet_mcp import Lancet

    with Lancet("/path/to/project") as lancet:
        session = lancet.session()
        tools = lancet.tools("anthropic")                          # for the request to the API
        results = session.dispatch("anthropic", response.content)  # a model's tool calls, answered
        session.edit("src/a.py", "old text", "new text")           # the same tools, called by hand
        session.undo()                                             # everything that this session changed

There are no dependencies, and nothing is kept in this process: sessions and history are lancet's own.
"""

from ._answer import Answer, Image
from ._approval import Approved, Decision, No, Question
from ._async import AsyncLancet, AsyncSession
from ._errors import BinaryNotFound, CallTimeout, LancetError, ProtocolError, Refused, RefusalName, ServerDied
from ._formats import Format
from ._program import Change, Mode, Progress
from ._sync import Lancet, Session
from ._tools import Replacement
from ._version import VERSION as __version__

__all__ = [
    "Answer",
    "Approved",
    "AsyncLancet",
    "AsyncSession",
    "BinaryNotFound",
    "CallTimeout",
    "Change",
    "Decision",
    "Format",
    "Image",
    "Lancet",
    "LancetError",
    "Mode",
    "No",
    "Progress",
    "ProtocolError",
    "Question",
    "RefusalName",
    "Refused",
    "Replacement",
    "ServerDied",
    "Session",
    "__version__",
]
