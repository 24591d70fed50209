"""Tool calls of models and their results, in the formats of the providers' APIs.

Calls may be dictionaries or the objects of the providers' own packages.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Literal, Optional, Sequence, Tuple

from ._answer import Answer, Image

#: Anthropic's Messages API, OpenAI's Chat Completions API and those like it, OpenAI's Responses API, Google's Gemini API.
Format = Literal["anthropic", "openai", "responses", "gemini"]
FORMATS: Tuple[Format, ...] = ("anthropic", "openai", "responses", "gemini")


@dataclass(frozen=True)
class Call:
    """One tool call of a model."""

    #: The id that the result names; Gemini may send none.
    id: Optional[str]
    name: str
    #: The arguments; text that is no JSON stays as it is, because lancet tells the model what is wrong with it.
    arguments: Any


def calls(format: Format, items: Iterable[Any]) -> List[Call]:
    """The tool calls among the items of a model's message, in their order; texts and thoughts are passed over.

    The items are for anthropic the `content` of the message, for openai its `tool_calls`, for responses `output`, for gemini the
    `parts` of the content.
    """
    if format not in FORMATS:
        raise ValueError("the format is one of %s, and not %r" % (", ".join(FORMATS), format))
    found = (_call(format, item) for item in items or ())
    return [call for call in found if call is not None]


def _call(format: Format, item: Any) -> Optional[Call]:
    if format == "anthropic":
        if _of(item, "type") == "tool_use":
            return Call(_of(item, "id"), _of(item, "name"), _of(item, "input"))
    elif format == "openai":
        function = _of(item, "function")
        if function is not None:
            return Call(_of(item, "id"), _of(function, "name"), _parsed(_of(function, "arguments")))
    elif format == "responses":
        if _of(item, "type") == "function_call":
            return Call(_of(item, "call_id"), _of(item, "name"), _parsed(_of(item, "arguments")))
    else:
        called = _of(item, "functionCall") or _of(item, "function_call")
        if called is not None:
            return Call(_of(called, "id"), _of(called, "name"), _of(called, "args") or {})
    return None


def results(format: Format, answered: Sequence[Tuple[Call, Answer]]) -> List[Dict[str, Any]]:
    """What the next request has: tool_result blocks (anthropic), messages (openai), input items (responses) or parts (gemini)."""
    made: List[Dict[str, Any]] = []
    pictures: List[Dict[str, Any]] = []
    for call, answer in answered:
        if format == "anthropic":
            made.append(_anthropic(call, answer))
        elif format == "openai":
            made.append({"role": "tool", "tool_call_id": call.id, "content": answer.text})
            pictures.extend({"type": "image_url", "image_url": {"url": _url(image)}} for image in answer.images)
        elif format == "responses":
            made.append({"type": "function_call_output", "call_id": call.id, "output": _responses(answer)})
        else:
            made.append(_gemini(call, answer))
            pictures.extend({"inlineData": {"mimeType": image.media_type, "data": image.data}} for image in answer.images)
    if format == "openai" and pictures:
        # A message of a tool has text alone, and all of them follow the calls at once: the pictures come after them.
        made.append({"role": "user", "content": [{"type": "text", "text": "The pictures of these answers:"}, *pictures]})
    elif format == "gemini":
        made.extend(pictures)
    return made


def _anthropic(call: Call, answer: Answer) -> Dict[str, Any]:
    # The API takes no empty text.
    content: List[Dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
    for image in answer.images:
        source = {"type": "base64", "media_type": image.media_type, "data": image.data}
        content.append({"type": "image", "source": source})
    return {"type": "tool_result", "tool_use_id": call.id, "content": content, "is_error": answer.is_error}


def _responses(answer: Answer) -> Any:
    if not answer.images:
        return answer.text
    pictures = [{"type": "input_image", "image_url": _url(image)} for image in answer.images]
    return [{"type": "input_text", "text": answer.text}, *pictures]


def _gemini(call: Call, answer: Answer) -> Dict[str, Any]:
    response = {"name": call.name, "response": {"error" if answer.is_error else "output": answer.text}}
    return {"functionResponse": {"id": call.id, **response} if call.id else response}


def _url(image: Image) -> str:
    return "data:%s;base64,%s" % (image.media_type, image.data)


def _of(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)


def _parsed(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments
