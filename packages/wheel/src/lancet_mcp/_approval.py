"""Questions about writes that need a person's approval, and the answers to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from typing import Literal

#: `session`: no more questions about this file until the client is closed. `always`: one rule is added to the user's settings.
Approved = Literal["yes", "session", "always"]


@dataclass(frozen=True)
class No:
    """A rejection with a message for the model; `by` names the program that decided, where it was no person."""

    words: str
    by: Optional[str] = None


#: What `approve` returns. Anything else is a no.
Decision = Union[Approved, Literal["no"], No]


@dataclass(frozen=True)
class Question:
    """One call that may write only with a person's approval."""

    #: Every file of the call with its lines added and removed, the reason, the rule and the diffs, ready to be shown.
    text: str
    #: The tool and its arguments, as the model sent them.
    tool: str
    arguments: Any
    #: The session that the call belongs to.
    session: str
    #: What may be answered: `yes`, `no`, `session`, and `always` where a rule can be kept.
    choices: Tuple[str, ...]
    #: Whether one of the names is protected or secret.
    protected: bool


@dataclass(frozen=True)
class Form:
    """A form that a result asks to have filled in before the call goes on."""

    name: str
    state: Optional[str]
    params: Mapping[str, Any]

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> Optional[Form]:
        """The form that a result of `tools/call` asks for; none where it is an answer."""
        if result.get("resultType") != "input_required":
            return None
        for name, request in (result.get("inputRequests") or {}).items():
            if request.get("method") == "elicitation/create":
                return cls(name, result.get("requestState"), request.get("params") or {})
        return cls("", result.get("requestState"), {})

    @property
    def _fields(self) -> Mapping[str, Any]:
        fields: Mapping[str, Any] = (self.params.get("requestedSchema") or {}).get("properties") or {}
        return fields

    def question(self, tool: str, arguments: Any, session: str) -> Optional[Question]:
        """The question of the form; none where it asks for the words of a no, which were given with the decision."""
        decision = self._fields.get("decision")
        if decision is None:
            return None
        return Question(
            text=self.params.get("message", ""),
            tool=tool,
            arguments=arguments,
            session=session,
            choices=tuple(decision.get("enum") or ()),
            protected="default" not in decision,
        )

    def filled(self, decision: object) -> Dict[str, Any]:
        """The parameters that the call is sent again with."""
        return {"requestState": self.state, "inputResponses": {self.name: self._answer(decision)}}

    def _answer(self, decision: object) -> Dict[str, Any]:
        if isinstance(decision, No) and decision.by and "decision" in self._fields:
            return {"action": "accept", "content": {"decision": "no", "by": decision.by, "reason": decision.words}}
        if isinstance(decision, No):
            words = {"reason": decision.words} if "reason" in self._fields else {"decision": "no"}
            return {"action": "accept", "content": words}
        if decision in ("yes", "session", "always") and "decision" in self._fields:
            return {"action": "accept", "content": {"decision": decision}}
        # Nobody answered where the callback raised; everything else that is not understood is a no.
        return {"action": "cancel" if isinstance(decision, BaseException) else "decline"}
