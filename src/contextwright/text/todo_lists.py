"""To-do lists that agents keep by calls of a tool: what a call says of one, what the list is behind
it, and how it is told in a line.

Told by their shape: items with a text and a status, given to a tool that is named for tasks. So
write Claude Code (`TodoWrite`, `TaskCreate`, `TaskUpdate`), Codex (`update_plan`), Gemini CLI and
deepagents (`write_todos`), opencode (`todowrite`), Cursor (`todo_write`, in parts), VS Code
(`manage_todo_list`), OpenHands (`task_tracker`) and Roo Code (`update_todo_list`, rows of
`[x] ...`).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from contextwright.memo.ownership import cached_text
from contextwright.text.file_arguments import PATHS
from contextwright.text.json_rows import loaded
from contextwright.text.search_terms import content_words

Status = Literal["doing", "open", "blocked", "dropped", "done"]
LABELS: dict[Status, str] = {
    "doing": "In progress",
    "open": "To do",
    "blocked": "Blocked",
    "dropped": "Cancelled",
    "done": "Done",
}
"""What stands in front of items in a line, in the order in which they matter."""
OVER: tuple[Status, ...] = ("dropped", "done")
_WORDINGS: dict[Status, str] = {
    "doing": "in_progress doing active started running current ongoing wip",
    "open": "pending todo to_do not_started open planned queued new waiting backlog upcoming",
    "blocked": "blocked failed on_hold deferred error",
    "dropped": "cancelled canceled skipped dropped abandoned deleted removed obsolete rejected",
    "done": "completed complete done finished closed success succeeded resolved verified",
}
_STATUSES: dict[str, Status] = {
    word: status for status, words in _WORDINGS.items() for word in words.split()
}
_TICKS = ("done", "completed", "complete", "checked", "finished", "is_done")
"""Names of a field that says by yes or no whether an item is done."""
_TEXTS = ("content", "step", "title", "subject", "description", "task", "text", "name", "item")
_IDS = ("id", "taskId", "task_id", "todo_id", "todoId")
_NOUNS = {"todo", "task", "plan", "checklist"}
_CREATES = {"create", "add", "new"}
_VERBS = {"update", "write", "set", "list", "manage", "mark", "edit", "complete"}
_OTHERS = {"progress", "status", "tracker", "mcp"}
"""Words of the names of tools: what they are for, what they do, what else may stand there."""
_PART = re.compile(r"[Tt]odos?|[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CHECKBOX = re.compile(
    r"^[^\S\n]*(?:[-*+]|\d+[.)])?[^\S\n]*\[([ xX~>/-])\][^\S\n]+(\S.*)$", re.MULTILINE
)
_BOXES: dict[str, Status] = {"x": "done", "X": "done", " ": "open"}
_NUMBER = re.compile(r"#(\w+)")
NEWS = 24
"""Words of a result, beside those of its call, up to which it only says that the call went well,
and how to go on: Claude Code's says so in thirteen."""
SHORT_RESULT = 200
"""Characters of a result that says no more than how a new item is called, or that it changed."""
_FORMS = ((240, 99, 99), (240, 99, 3), (80, 99, 3), (80, 99, 0), (80, 8, 0), (80, 3, 0), (40, 1, 0))
"""Ways to tell a list, the most words first: characters of an item, items that are open and items
that are over; of many, the next of the open ones and the newest of the others are told."""
_HEAD = re.compile(r"(\S+(?: \([^()\n]*\))?): (\d+) of (\d+) done\b")
_SECTION = re.compile(rf"\. ({'|'.join(LABELS.values())}): ")
UNTOLD = "\u2026 "
"""What an item is called of which a line only says that it is there."""
_MORE = re.compile(r"(\d+) more")


class TodoItem(msgspec.Struct, frozen=True):
    """One thing to do. `text` is empty where it is not told, or stays as it was."""

    text: str
    status: Status
    id: str = ""

    @property
    def key(self) -> str:
        """What a later call names it by."""
        return self.id or self.text


class TodoUpdate(msgspec.Struct, frozen=True):
    """What a call says of a list: all that it holds, or, where it is not `whole`, some items.

    Args:
        is_all: whether its result says no more.
    """

    tool: str
    items: tuple[TodoItem, ...]
    whole: bool = True
    is_all: bool = True


class TodoList(msgspec.Struct, frozen=True):
    """A list as its calls leave it.

    Args:
        tool: the tool that changed it last; of another agent's, with that agent's name.
    """

    tool: str
    items: tuple[TodoItem, ...] = ()

    def after(self, *updates: TodoUpdate) -> "TodoList":
        """What it is behind some more calls."""
        whole = [place for place, update in enumerate(updates) if update.whole]
        before = updates[whole[-1]].items if whole else self.items
        changes = updates[whole[-1] + 1 :] if whole else updates
        if not changes:
            return TodoList(self.tool, before)
        items = {item.key: item for item in before}
        for item in [item for update in changes for item in update.items]:
            known = items.get(item.key)
            text = item.text or (known.text if known else "")
            items[item.key] = msgspec.structs.replace(item, text=text)
        return TodoList(self.tool, tuple(items.values()))

    @property
    def progress(self) -> str:
        """How far it is."""
        done = sum(item.status == "done" for item in self.items)
        return f"{done} of {len(self.items)} done"

    def line(self, most: int, size: Callable[[str], int]) -> str:
        """It in a line: what is open first; empty where not even how far it is has room.

        Args:
            most: what the line may be in the unit of `size`.
        """
        forms = (self._line(*form) for form in _FORMS)
        return next((text for text in (*forms, self._line(0, 0, 0)) if size(text) <= most), "")

    def _line(self, characters: int, ahead: int, over: int) -> str:
        text = f"{self.tool}: {self.progress}"
        for status, label in LABELS.items():
            every = [item for item in self.items if item.status == status]
            items = [item for item in every if not item.text.startswith(UNTOLD)]
            shown = items[max(0, len(items) - over) :] if status in OVER else items[:ahead]
            if shown:
                parts = [_shown(item, characters) for item in shown]
                if rest := len(every) - len(shown):
                    parts.append(f"{rest} more")
                text += f". {label}: {'; '.join(parts)}"
        return text


def _shown(item: TodoItem, characters: int) -> str:
    """An item, in words that are read as nothing else than one."""
    text = " ".join(item.text.split()).replace(";", ",").strip(".#\u2026 ")
    text = _SECTION.sub(r", \1 ", text)
    if len(text) > characters or _MORE.fullmatch(text):
        text = f"{text[:characters].rpartition(' ')[0]}\u2026"
    return f"#{item.id} {text}".rstrip() if item.id else text or "\u2026"


@cached_text
def list_key(tool: str) -> str:
    """What the tools of one list have in common: `TaskCreate` and `TaskUpdate` are of one."""
    name, _, owner = tool.partition(" ")
    nouns = sorted({_singular(part) for part in _parts(name)} - _CREATES - _VERBS - _OTHERS) or [
        name
    ]
    return " ".join((*nouns, owner))


def todo_list_in(line: str) -> TodoList | None:
    """The list that a line tells, as `TodoList.line` wrote it; None where it tells none."""
    head = _HEAD.match(line)
    if head is None or not is_todo_tool(head[1]):
        return None
    items: list[TodoItem] = []
    _, *sections = _SECTION.split(line[head.end() :])
    statuses: dict[str, Status] = {label: status for status, label in LABELS.items()}
    for label, section in zip(sections[::2], sections[1::2], strict=True):
        for text in section.split("; "):
            more = _MORE.fullmatch(text)
            if more is None:
                id, _, rest = text.partition(" ") if text.startswith("#") else ("", "", text)
                items.append(TodoItem(rest, statuses[label], id.removeprefix("#")))
            else:
                items += _untold(int(more[1]), statuses[label], len(items))
    done = sum(item.status == "done" for item in items)
    items += _untold(int(head[2]) - done, "done", len(items))
    items += _untold(int(head[3]) - len(items), "open", len(items))
    return TodoList(head[1], tuple(items))


def _untold(count: int, status: Status, place: int) -> Iterator[TodoItem]:
    """So many items of which a line only says that there are any."""
    return (TodoItem(f"{UNTOLD}{place + number}", status) for number in range(count))


@cached_text
def is_todo_tool(name: str) -> bool:
    """Whether a tool is named for things to do."""
    return not _NOUNS.isdisjoint(map(_singular, _parts(name)))


@cached_text
def todo_update(tool: str, arguments: str, result: str) -> TodoUpdate | None:
    """What a call that went well says of a to-do list; None where it says nothing of one.

    Args:
        arguments: JSON of the call.
    """
    values = loaded(arguments) if is_todo_tool(tool) else None
    if not isinstance(values, dict):
        return None
    fields: dict[str, Any] = values
    is_file = any(isinstance(fields.get(name), str) for name in PATHS)
    for value in () if is_file else fields.values():
        if items := _items(value):
            whole = not fields.get("merge") and _CREATES.isdisjoint(_parts(tool))
            return TodoUpdate(tool, items, whole, _says_only_done(arguments, result))
    item = _single_item(tool, fields, result)
    return None if item is None else TodoUpdate(tool, (item,), whole=False)


def _says_only_done(arguments: str, result: str) -> bool:
    """Whether a result says no more than that its call went well, or what the call said."""
    news = {*content_words(result)} - {*content_words(arguments)}
    return len(news) <= NEWS


def _items(value: Any) -> tuple[TodoItem, ...]:
    """The items of a list of them, of JSON of such a list, or of rows with check boxes."""
    if isinstance(value, str):
        boxes = _CHECKBOX.findall(value)
        if boxes:
            return tuple(TodoItem(text.strip(), _BOXES.get(box, "doing")) for box, text in boxes)
        value = loaded(value)
    if not isinstance(value, list):
        return ()
    records: list[Any] = value
    items = [_item(one) for one in records if isinstance(one, dict)]
    named = [item for item in items if item is not None]
    is_list = len(named) == len(records) and any(map(_has_status, records))
    return tuple(named) if is_list else ()


def _item(fields: Mapping[str, Any]) -> TodoItem | None:
    text, id, status = _first(fields, _TEXTS), _first(fields, _IDS), _status(fields)
    return TodoItem(text, status, id) if status is not None and (text or id) else None


def _status(fields: Mapping[str, Any]) -> Status | None:
    """What state an item is in: to do, where it does not say; None for words of something else."""
    named = fields.get("status", fields.get("state"))
    if isinstance(named, str) and named:
        return _STATUSES.get(re.sub(r"[\s-]+", "_", named.strip().lower()))
    return "done" if any(fields.get(name) is True for name in _TICKS) else "open"


def _has_status(fields: Mapping[str, Any]) -> bool:
    return any(name in fields for name in ("status", "state", *_TICKS))


def _single_item(tool: str, fields: Mapping[str, Any], result: str) -> TodoItem | None:
    """An item that is made, or gets another status, by a tool that is named for nothing else."""
    parts = {_singular(part) for part in _parts(tool)}
    if len(result) > SHORT_RESULT or parts - _NOUNS - _CREATES - _VERBS - _OTHERS:
        return None
    status, text, id = _status(fields), _first(fields, _TEXTS), _first(fields, _IDS)
    if status is None or (id and not _has_status(fields)):
        return None
    if not id and text and parts & _CREATES:
        number = _NUMBER.search(result)
        id = number[1] if number else ""
    return TodoItem(text, status, id) if id else None


def _first(fields: Mapping[str, Any], names: Iterable[str]) -> str:
    """The first of some fields that says something."""
    values = (fields.get(name) for name in names)
    texts = (str(value) for value in values if isinstance(value, (str, int)) and value != "")
    return next(texts, "")


def _parts(name: str) -> list[str]:
    return [part.lower() for part in _PART.findall(name)]


def _singular(word: str) -> str:
    return word.removesuffix("s") if word != "progress" and word != "status" else word
