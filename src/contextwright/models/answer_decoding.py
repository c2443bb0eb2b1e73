"""From a model's text to the value of an answer, checked against its schema."""

from collections.abc import Callable
from typing import Any

import msgspec

from contextwright.blocks.transcript import transcript
from contextwright.models.llm import ModelFault
from contextwright.models.prompts import SCHEMAS
from contextwright.spec.schema import problems
from contextwright.spec.task import Task

POINT = 10_000
"""Millionths of a score point: models score from 0 to 100."""


def value_of(task: Task, text: str, count: Callable[[str], int]) -> Any:
    """The value that a text is, as `Task` says for its kind.

    Args:
        count: tokens of a text; a summary longer than its source is refused.

    Raises:
        ModelFault: malformed: no JSON, not of the schema, empty, or longer than its source.
    """
    schema = task.schema or SCHEMAS.get(task.kind, "")
    if not schema:
        return _plain(task, text.strip(), count)
    value = _json(text)
    wrong = problems(value, msgspec.json.decode(schema))
    if wrong:
        raise ModelFault("malformed", "; ".join(wrong[:3]))
    reader = _READERS.get(task.kind)
    return reader(task, value) if reader else value


def _plain(task: Task, text: str, count: Callable[[str], int]) -> str:
    if not text:
        raise ModelFault("malformed", "an empty answer")
    if text[:1] in "{[`" and "json" not in task.prompt.casefold() and _is_json(text):
        raise ModelFault("malformed", "JSON where a text was asked")
    if task.kind == "summary":
        source = "\n".join([task.previous, *map(transcript, task.blocks)])
        if count(text) >= count(source):
            raise ModelFault("malformed", "the summary is longer than what it summarizes")
    return text


def _is_json(text: str) -> bool:
    try:
        _json(text)
    except ModelFault:
        return False
    return True


def _json(text: str) -> Any:
    """The JSON of an answer; a code fence around it is no mistake."""
    plain = text.strip()
    if plain.startswith("```"):
        plain = plain.partition("\n")[2].rpartition("```")[0]
    try:
        return msgspec.json.decode(plain)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ModelFault("malformed", f"no JSON: {error}") from error


def _scores(task: Task, value: Any) -> list[int]:
    scores = [0] * len(task.blocks)
    scored = [item for item in value["scores"] if 0 <= item["item"] < len(scores)]
    if value["scores"] and not scored:
        raise ModelFault("malformed", "scores of items that were not asked about")
    for item in scored:
        scores[item["item"]] = min(100, max(0, item["score"])) * POINT
    return scores


def _pairs(task: Task, value: Any) -> list[list[int]]:
    pairs = {(pair["earlier"], pair["later"]) for pair in value["pairs"]}
    return [list(pair) for pair in sorted(pairs) if 0 <= pair[0] < pair[1] < len(task.blocks)]


def _facts(task: Task, value: Any) -> list[str]:
    before: Any = msgspec.json.decode(task.previous) if task.previous else []
    known = [str(fact) for fact in before] if isinstance(before, list) else []
    new = (fact.strip() for fact in value["facts"])
    return list(dict.fromkeys([*known, *filter(None, new)]))


def _contradictions(task: Task, value: Any) -> list[dict[str, Any]]:
    count = len(task.blocks)
    return [
        pair
        for pair in value["pairs"]
        if 0 <= pair["first"] < count and 0 <= pair["second"] < count
        if pair["first"] != pair["second"]
    ]


def _premises(task: Task, value: Any) -> list[dict[str, Any]]:
    count = len(task.blocks)
    return [
        {**row, "evidence": [place for place in row["evidence"] if 0 <= place < count]}
        for row in value["premises"]
        if row["premise"].strip()
    ]


def is_value(task: Task, value: Any) -> bool:
    """Whether a stored value is one of the task's kind, so far that assembling can read it."""
    if task.kind == "relevance":
        scores: list[Any] = value if isinstance(value, list) else []
        return len(scores) == len(task.blocks) and all(type(score) is int for score in scores)
    if task.kind == "record" or task.schema:
        return isinstance(value, dict)
    items: list[Any] = value if isinstance(value, list) else []
    item_type = {"facts": str, "duplicates": list}.get(task.kind, dict)
    if task.kind in {"summary", "merge"}:
        return isinstance(value, str)
    return isinstance(value, list) and all(isinstance(item, item_type) for item in items)


_READERS: dict[str, Callable[[Task, Any], Any]] = {
    "relevance": _scores,
    "duplicates": _pairs,
    "facts": _facts,
    "contradictions": _contradictions,
    "premises": _premises,
}
