"""What must hold of the types: this file is checked by mypy and never run. A line with `type: ignore` must not pass without it."""

from typing import List, Optional

from lancet_mcp import Answer, AsyncLancet, Change, Decision, Lancet, No, Question, Refused


def approve(question: Question) -> Decision:
    return No("not " + question.tool) if question.protected else "session"


async def approve_later(question: Question) -> Decision:
    return "yes"


def by_hand(lancet: Lancet) -> Optional[str]:
    session = lancet.session()
    answer: Answer = session.read("a.txt", offset=1)
    session.multi_edit([{"old_string": "a", "new_string": "b"}], file_path="a.txt")
    changes: List[Change] = session.changes(session.begin_turn())
    try:
        session.edit("a.txt", "a", "b", replace_all=True)
    except Refused as refused:
        if refused.name == "stale":
            return refused.text
        if refused.name == "stail":  # type: ignore[comparison-overlap]
            return None
    session.write("a.txt", "a", mode="replace")  # type: ignore[arg-type]
    session.read("a.txt", dry_run=True)  # type: ignore[call-arg]
    lancet.tools("cobol")  # type: ignore[arg-type]
    return answer.revision or changes[0].turn


async def awaited(lancet: AsyncLancet) -> List[str]:
    answer: Answer = await lancet.session().glob("*.py")
    return answer.files


Lancet("/a", approve=approve, mode="ask")
Lancet(["/a", "/b"], approve=approve_later)  # type: ignore[arg-type]
AsyncLancet("/a", approve=approve)
AsyncLancet("/a", approve=approve_later)
