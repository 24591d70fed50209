"""The answer to one call."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional

from ._errors import Refused

#: The key of the data in a result's `_meta`.
_DATA = "lancet/result"


@dataclass(frozen=True)
class Image:
    """A picture in an answer."""

    #: Such as `image/png`.
    media_type: str
    #: The bytes in base64, as the APIs take them.
    data: str

    @property
    def bytes(self) -> bytes:
        """The picture itself."""
        return base64.b64decode(self.data)


@dataclass(frozen=True)
class Answer:
    """The answer to one call: text and pictures for the model, data for programs."""

    #: What the model is to read.
    text: str
    #: Pictures, where a Read showed some.
    images: List[Image] = field(default_factory=list)
    #: What programs use: `revision`, `operation`, `patch`, `files` and others (docs/builders.md).
    data: Dict[str, Any] = field(default_factory=dict)
    #: Whether lancet refused the call.
    is_error: bool = False

    @property
    def refused(self) -> Optional[Refused]:
        """The refusal, where this is one."""
        return Refused(self) if self.is_error else None

    @property
    def revision(self) -> Optional[str]:
        """The revision of the file that was read or written."""
        return self.data.get("revision")

    @property
    def operation(self) -> Optional[str]:
        """The id of the change in the history."""
        return self.data.get("operation")

    @property
    def files(self) -> List[str]:
        """The paths that Glob or Grep found, those below the first root relative to it, or those of a change of several files."""
        found = self.data.get("files") or []
        return [entry if isinstance(entry, str) else entry["file_path"] for entry in found]

    @property
    def diff(self) -> str:
        """The change of one file as the hunks of a unified diff; empty where nothing was written."""
        lines = []
        for hunk in self.data.get("patch") or []:
            lines.append("@@ -{oldStart},{oldLines} +{newStart},{newLines} @@".format(**hunk))
            lines.extend(hunk["lines"])
        return "".join(line + "\n" for line in lines)

    @classmethod
    def of_result(cls, result: Mapping[str, Any]) -> Answer:
        """The answer in a result of `tools/call`."""
        blocks = result.get("content") or []
        return cls(
            text="\n".join(block["text"] for block in blocks if block["type"] == "text"),
            images=[Image(block["mimeType"], block["data"]) for block in blocks if block["type"] == "image"],
            data=(result.get("_meta") or {}).get(_DATA) or {},
            is_error=bool(result.get("isError")),
        )

    @classmethod
    def of_command(cls, told: Mapping[str, Any]) -> Answer:
        """The answer in the JSON that a command of the shell printed."""
        data = {name: value for name, value in told.items() if name != "text"}
        if "error" in data:
            # A session without changes is refused by the command line, which has names and no numbers.
            data["error"] = {"code": 8, **data["error"]} if data["error"].get("name") == "not_found" else data["error"]
        return cls(text=told.get("text", ""), data=data, is_error="error" in told)
