"""The wire formats in which agents talk to a model: Anthropic Messages, OpenAI Chat Completions and Responses, Gemini.

Each format reads a request into `Request` and writes a reply of texts and tool calls, streamed where that was asked for.
"""
import itertools
import json
from dataclasses import dataclass, field

_numbers = itertools.count(1)


@dataclass
class Call:
    """A tool call that the scripted model makes. `tool` is `namespace/name` where the agent groups its tools."""
    tool: str
    arguments: object
    kind: str = "function"  # or "custom" (free text), or "search" (Codex's search for tools)
    id: str = ""

    def __post_init__(self):
        # Every provider's own prefix would do; an agent compares identifiers and nothing more.
        self.id = self.id or "call_%06d" % next(_numbers)

    @property
    def split(self):
        namespace, _, name = self.tool.rpartition("/")
        return namespace, name


@dataclass
class Result:
    """What came back for a call: the text as the model would read it, and whether it was marked as an error."""
    text: str
    error: bool = False
    raw: object = None


@dataclass
class Request:
    """What an agent sent: its tools by name, and the results of calls by identifier."""
    tools: dict
    results: dict
    stream: bool
    model: str
    system: str
    body: object = field(repr=False, default=None)
    schema: object = None  # of the JSON that is asked for instead of text


def blank(schema):
    """The least value that a JSON schema asks for: zeros, empty texts and lists, the first word of a choice."""
    if schema.get("enum"):
        return schema["enum"][0]
    kind = str(schema.get("type", "")).lower()
    if kind == "object":
        fields = schema.get("properties") or {}
        return {name: blank(fields.get(name) or {}) for name in schema.get("required") or fields}
    return {"array": [], "number": 0, "integer": 0, "boolean": False}.get(kind, "")


def plain(content):
    """The text of a content field, whether it is a string or a list of blocks."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(plain(block) for block in content)
    if isinstance(content, dict):
        for key in ("text", "content", "output"):
            if isinstance(content.get(key), (str, list)):
                return plain(content[key])
        return "[%s]" % content.get("type", "block")
    return str(content)


def sse(events):
    """Server-sent events; each is (name or None, JSON value or text)."""
    lines = []
    for name, value in events:
        if name:
            lines.append("event: %s\n" % name)
        lines.append("data: %s\n\n" % (value if isinstance(value, str) else json.dumps(value)))
    return "".join(lines).encode()


class Anthropic:
    """POST /v1/messages."""

    @staticmethod
    def read(body, _path):
        results = {}
        for message in body.get("messages", []):
            if isinstance(message.get("content"), list):
                for block in message["content"]:
                    if block.get("type") == "tool_result":
                        text = plain(block.get("content"))
                        results[block["tool_use_id"]] = Result(text, bool(block.get("is_error")), block)
        tools = {tool["name"]: tool for tool in body.get("tools") or []}
        return Request(tools, results, bool(body.get("stream")), body.get("model", ""), plain(body.get("system")), body)

    @staticmethod
    def write(request, text, calls):
        blocks = [{"type": "text", "text": text}] if text else []
        blocks += [{"type": "tool_use", "id": c.id, "name": c.tool, "input": c.arguments} for c in calls]
        stop = "tool_use" if calls else "end_turn"
        usage = {"input_tokens": 10, "output_tokens": 10}
        message = {"id": "msg_%d" % next(_numbers), "type": "message", "role": "assistant", "model": request.model}
        if not request.stream:
            return {**message, "content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": usage}
        events = [("message_start", {"type": "message_start", "message": {
            **message, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}})]
        for index, block in enumerate(blocks):
            if block["type"] == "text":
                start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                start = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            events += [
                ("content_block_start", {"type": "content_block_start", "index": index, "content_block": start}),
                ("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}),
                ("content_block_stop", {"type": "content_block_stop", "index": index}),
            ]
        events += [
            ("message_delta", {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                               "usage": {"output_tokens": 10}}),
            ("message_stop", {"type": "message_stop"}),
        ]
        return sse(events)


class Chat:
    """POST /v1/chat/completions."""

    @staticmethod
    def read(body, _path):
        results, system = {}, []
        for message in body.get("messages", []):
            if message.get("role") == "tool":
                results[message.get("tool_call_id")] = Result(plain(message.get("content")), False, message)
            if message.get("role") in ("system", "developer"):
                system.append(plain(message.get("content")))
        tools = {tool["function"]["name"]: tool["function"] for tool in body.get("tools") or []}
        return Request(tools, results, bool(body.get("stream")), body.get("model", ""), "\n".join(system), body)

    @staticmethod
    def write(request, text, calls):
        made = [{"index": i, "id": c.id, "type": "function",
                 "function": {"name": c.tool, "arguments": json.dumps(c.arguments)}} for i, c in enumerate(calls)]
        stop = "tool_calls" if calls else "stop"
        usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
        head = {"id": "chatcmpl-%d" % next(_numbers), "created": 1_700_000_000, "model": request.model}
        message = {"role": "assistant", "content": text or None}
        if made:
            message["tool_calls"] = made
        if not request.stream:
            choice = {"index": 0, "message": message, "finish_reason": stop}
            return {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        chunk = {**head, "object": "chat.completion.chunk"}
        return sse([
            (None, {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
            (None, {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]}),
            (None, {**chunk, "choices": [], "usage": usage}),
            (None, "[DONE]"),
        ])


class Responses:
    """POST /v1/responses."""

    @staticmethod
    def read(body, _path):
        results = {}
        for item in body.get("input") or []:
            if str(item.get("type", "")).endswith("_call_output") or item.get("type") == "tool_search_output":
                results[item.get("call_id")] = Result(plain(item.get("output")), False, item)
        tools = {}
        for tool in body.get("tools") or []:
            if tool.get("type") == "namespace":
                for inner in tool.get("tools", []):
                    tools["%s/%s" % (tool["name"], inner["name"])] = inner
            else:
                tools[tool.get("name") or tool.get("type")] = tool
        return Request(tools, results, bool(body.get("stream")), body.get("model", ""), body.get("instructions") or "", body)

    @staticmethod
    def item(call):
        namespace, name = call.split
        if call.kind == "custom":
            return {"type": "custom_tool_call", "call_id": call.id, "name": name, "input": call.arguments}
        if call.kind == "search":
            return {"type": "tool_search_call", "call_id": call.id, "execution": "client", "arguments": call.arguments}
        made = {"type": "function_call", "call_id": call.id, "name": name, "arguments": json.dumps(call.arguments)}
        return {**made, "namespace": namespace} if namespace else made

    @staticmethod
    def write(request, text, calls):
        name = "resp_%d" % next(_numbers)
        output = [{**Responses.item(c), "id": "fc_%s" % c.id, "status": "completed"} for c in calls]
        if text:
            output.insert(0, {"type": "message", "id": "msg_%d" % next(_numbers), "role": "assistant", "status": "completed",
                              "content": [{"type": "output_text", "text": text, "annotations": []}]})
        usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20,
                 "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        whole = {"id": name, "object": "response", "created_at": 1_700_000_000, "model": request.model}
        done = {**whole, "status": "completed", "output": output, "usage": usage}
        if not request.stream:
            return done
        started = {**whole, "status": "in_progress", "output": []}
        events = [("response.created", {"type": "response.created", "response": started})]
        for index, item in enumerate(output):
            for kind in ("added", "done"):
                event = "response.output_item.%s" % kind
                events.append((event, {"type": event, "output_index": index, "item": item}))
        events.append(("response.completed", {"type": "response.completed", "response": done}))
        return sse(events)


class Gemini:
    """POST /v1beta/models/MODEL:generateContent and :streamGenerateContent."""

    @staticmethod
    def read(body, path):
        results = {}
        for content in body.get("contents", []):
            for part in content.get("parts") or []:
                answer = part.get("functionResponse")
                if answer:
                    told = answer.get("response") or {}
                    failed = "error" in told
                    value = told.get("error" if failed else "output", told)
                    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                    results[answer.get("id")] = Result(text, failed, answer)
        tools = {}
        for group in body.get("tools") or []:
            for tool in group.get("functionDeclarations") or []:
                tools[tool["name"]] = tool
        system = plain((body.get("systemInstruction") or {}).get("parts"))
        model = path.rpartition("/")[2].partition(":")[0]
        wanted = body.get("generationConfig") or {}
        schema = wanted.get("responseJsonSchema") or wanted.get("responseSchema")
        return Request(tools, results, "streamGenerateContent" in path, model, system, body, schema)

    @staticmethod
    def write(request, text, calls):
        parts = [{"text": text}] if text else []
        parts += [{"functionCall": {"id": c.id, "name": c.tool, "args": c.arguments}} for c in calls]
        reply = {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
            "modelVersion": request.model,
        }
        return sse([(None, reply)]) if request.stream else reply


def of_path(path):
    """The wire format of a request path, or None."""
    path = path.partition("?")[0]
    if path.endswith("/messages"):
        return Anthropic
    if path.endswith("/chat/completions"):
        return Chat
    if path.endswith("/responses"):
        return Responses
    if path.endswith((":generateContent", ":streamGenerateContent")):
        return Gemini
    return None
