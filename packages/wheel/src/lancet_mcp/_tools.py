"""The tools as methods, written once: `Session` returns answers, `AsyncSession` coroutines of them."""

from __future__ import annotations

import os
import uuid
from typing import Any, Dict, Generic, List, Literal, Mapping, Optional, Sequence, TypedDict, TypeVar, Union

Path = Union[str, "os.PathLike[str]"]
R = TypeVar("R")


class _Replacement(TypedDict):
    old_string: str
    new_string: str


class Replacement(_Replacement, total=False):
    """One edit of `multi_edit`."""

    file_path: Path
    replace_all: bool
    revision: str


class Tools(Generic[R]):
    """One conversation of one model, by name. lancet keeps for it what the model has seen; only what was seen may be changed.

    The methods raise `Refused` where lancet refuses. Relative paths start at the client's first root.
    """

    def __init__(self, root: str, name: Optional[str]) -> None:
        #: The name, under which the session goes on in another process, and its changes are found in the history.
        self.name = name or "lancet_mcp-" + uuid.uuid4().hex[:16]
        #: The turn that calls belong to; `begin_turn` sets it.
        self.turn: Optional[str] = None
        self._root = root
        self._turns = 0
        self._told: Dict[str, Any] = {}

    def begin_turn(self, turn: Optional[str] = None) -> str:
        """Begins a turn, such as a prompt of the user: the calls from here on can be undone together. Returns its id."""
        self._turns += 1
        self.turn = turn or "%s.%s.%d" % (self.name, uuid.uuid4().hex[:4], self._turns)
        return self.turn

    def seen(self, file_path: Path, text: str) -> None:
        """Tells with the next call that the host put this text of a file before the model: it counts as a Read of these lines."""
        self._told.setdefault("lancet/seen", []).append({"file_path": self._path(file_path), "text": text})

    def shortened(self) -> None:
        """Tells with the next call that the conversation was shortened: the next Read of each file answers with its text."""
        self._told["lancet/shortened"] = True

    def read(
        self,
        file_path: Path,
        *,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
        column: Optional[int] = None,
        pages: Optional[str] = None,
        mode: Optional[str] = None,
        force: Optional[bool] = None,
    ) -> R:
        """Shows a file, `limit` lines from line `offset` on; `force` shows it again though the session has seen it.

        `mode="outline"` shows what source code names, with its lines, instead of the text.
        """
        return self._use(
            "Read",
            file_path=self._path(file_path),
            offset=offset,
            limit=limit,
            column=column,
            pages=pages,
            mode=mode,
            force=force,
        )

    def edit(
        self,
        file_path: Path,
        old_string: str,
        new_string: str,
        *,
        replace_all: Optional[bool] = None,
        expect_count: Optional[int] = None,
        revision: Optional[str] = None,
        insist: Optional[bool] = None,
        dry_run: Optional[bool] = None,
    ) -> R:
        """Replaces text that occurs once in a file, or everywhere with `replace_all`."""
        return self._use(
            "Edit",
            file_path=self._path(file_path),
            old_string=old_string,
            new_string=new_string,
            replace_all=replace_all,
            expect_count=expect_count,
            revision=revision,
            insist=insist,
            dry_run=dry_run,
        )

    def multi_edit(
        self,
        edits: Sequence[Replacement],
        *,
        file_path: Optional[Path] = None,
        insist: Optional[bool] = None,
        dry_run: Optional[bool] = None,
    ) -> R:
        """Makes several edits in one or more files, all or none; `file_path` is for those that name none."""
        placed: List[Dict[str, Any]] = []
        for edit in edits:
            placed.append({**edit, "file_path": self._path(edit["file_path"])} if "file_path" in edit else {**edit})
        outer = None if file_path is None else self._path(file_path)
        return self._use("MultiEdit", edits=placed, file_path=outer, insist=insist, dry_run=dry_run)

    def write(
        self,
        file_path: Path,
        content: str,
        *,
        mode: Optional[Literal["overwrite", "append", "create"]] = None,
        revision: Optional[str] = None,
        insist: Optional[bool] = None,
        dry_run: Optional[bool] = None,
    ) -> R:
        """Creates a file or replaces all of it."""
        return self._use(
            "Write",
            file_path=self._path(file_path),
            content=content,
            mode=mode,
            revision=revision,
            insist=insist,
            dry_run=dry_run,
        )

    def notebook_edit(
        self,
        notebook_path: Path,
        new_source: Optional[str] = None,
        *,
        cell_id: Optional[str] = None,
        cell_number: Optional[int] = None,
        cell_type: Optional[Literal["code", "markdown", "raw"]] = None,
        edit_mode: Optional[Literal["replace", "insert", "delete"]] = None,
        before: Optional[bool] = None,
        revision: Optional[str] = None,
        dry_run: Optional[bool] = None,
    ) -> R:
        """Replaces, inserts or deletes one cell of a Jupyter notebook."""
        return self._use(
            "NotebookEdit",
            notebook_path=self._path(notebook_path),
            new_source=new_source,
            cell_id=cell_id,
            cell_number=cell_number,
            cell_type=cell_type,
            edit_mode=edit_mode,
            before=before,
            revision=revision,
            dry_run=dry_run,
        )

    def glob(
        self,
        pattern: str,
        *,
        path: Optional[Path] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        include_ignored: Optional[bool] = None,
    ) -> R:
        """Lists files by a pattern of names, newest first; `answer.files` has them."""
        folder = None if path is None else self._path(path)
        return self._use("Glob", pattern=pattern, path=folder, limit=limit, offset=offset, include_ignored=include_ignored)

    def grep(
        self,
        pattern: str,
        *,
        path: Optional[Path] = None,
        glob: Optional[str] = None,
        type: Optional[str] = None,
        output_mode: Optional[Literal["files_with_matches", "content", "count"]] = None,
        after: Optional[int] = None,
        before: Optional[int] = None,
        context: Optional[int] = None,
        line_numbers: Optional[bool] = None,
        ignore_case: Optional[bool] = None,
        multiline: Optional[bool] = None,
        head_limit: Optional[int] = None,
        offset: Optional[int] = None,
        include_ignored: Optional[bool] = None,
    ) -> R:
        """Searches files for a regular expression; `answer.files` has those with a match."""
        short = {"-A": after, "-B": before, "-C": context, "-n": line_numbers, "-i": ignore_case}
        return self._use(
            "Grep",
            pattern=pattern,
            path=None if path is None else self._path(path),
            glob=glob,
            type=type,
            output_mode=output_mode,
            multiline=multiline,
            head_limit=head_limit,
            offset=offset,
            include_ignored=include_ignored,
            **short,
        )

    def _path(self, path: Path) -> str:
        return os.path.join(self._root, os.fspath(path))

    def _use(self, tool: str, **arguments: Any) -> R:
        return self._checked(tool, {name: value for name, value in arguments.items() if value is not None})

    def _checked(self, tool: str, arguments: Mapping[str, Any]) -> R:
        """Calls a tool, and raises where lancet refuses."""
        raise NotImplementedError

    def _call_meta(self, turn: Optional[str], call: Optional[str]) -> Dict[str, Any]:
        """The fields that the next call sends besides its arguments."""
        told, self._told = self._told, {}
        named = {"lancet/session": self.name, "lancet/turn": turn or self.turn, "lancet/call": call}
        return {**told, **{key: value for key, value in named.items() if value is not None}}
