"""How often the embedded rules fill a field, and how often they fill it right.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.extraction

Of recorded agent sessions the rules read what was said, without calls and results. What each call
was made with is the truth: `reservation_id`, `city`, `date`. A value counts as right where it is
one that the session's calls had under that name; a field counts as said where one of its values
stands in what the user or the assistant wrote.
"""

import gzip
import json
import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from contextwright.blocks.block import Block, Message
from contextwright.models import embedded
from contextwright.session.event import Text
from contextwright.spec.schema import schema_text
from contextwright.spec.task import Task
from contextwright.tokens.counter import named_counter

DATA = Path(os.environ.get("CONTEXTWRIGHT_DATA", "data"))
COUNT = named_counter("o200k_base").count
CORPORA = ("tau_bench_airline", "sgd", "tooltalk")
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
SHOWN = 12
"""Wrong values that `--wrong` prints of each corpus."""


def rows(name: str) -> list[Any]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def plain(value: Any) -> str:
    """A value for comparing: dates as month and day, times as hours and minutes."""
    text = str(value).casefold().strip(" .#$\"'")
    day = re.search(rf"({'|'.join(MONTHS)})[a-z]*\.? (\d{{1,2}})", text)
    if day:
        return f"{MONTHS.index(day[1]) + 1:02}-{int(day[2]):02}"
    if iso := re.search(r"\d{4}-(\d\d)-(\d\d)", text):
        return f"{iso[1]}-{iso[2]}"
    if clock := re.fullmatch(r"(\d{1,2})(?::(\d\d))?(?::\d\d)? ?([ap])?\.?m?\.?", text):
        hour = int(clock[1]) % 12 + 12 * (clock[3] == "p") if clock[3] else int(clock[1])
        return f"{hour:02}:{clock[2] or '00'}"
    return re.sub(r"[\s_,]+", " ", text)


def session_of(row: Any) -> tuple[tuple[Block, ...], dict[str, list[Any]]]:
    """What was said, a block each, and the values that calls had by name."""
    blocks: list[Block] = []
    gold: dict[str, list[Any]] = {}
    for place, message in enumerate(row["messages"]):
        content = message.get("content")
        if message["role"] in {"user", "assistant"} and isinstance(content, str) and content:
            parts = (Text(text=content),)
            said = (Message(role=message["role"], parts=parts),)
            blocks.append(Block(id=str(place), source="data", messages=said, order=place))
        for call in message.get("tool_calls") or ():
            arguments = json.loads(call["function"]["arguments"] or "{}")
            for name, value in arguments.items():
                if isinstance(value, (str, int, float)) and value != "":
                    gold.setdefault(name, []).append(value)
    return tuple(blocks), gold


def type_of(values: list[Any]) -> str:
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return "bool"
    return "float" if kinds <= {int, float} else "str"


def measured(name: str) -> tuple[Counter[str], list[str]]:
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for row in rows(name):
        blocks, gold = session_of(row)
        if not gold or not blocks:
            continue
        schema = schema_text({field: f"{type_of(values)}?" for field, values in gold.items()})
        task = Task(kind="record", schema=schema, blocks=blocks, source=row["id"])
        record = embedded.answer(task, count=COUNT).value
        text = "\n".join(part.text for b in blocks for m in b.messages for part in m.parts)
        for field, values in gold.items():
            wanted = {plain(value) for value in values}
            folded = text.casefold()
            said = any(str(value).casefold() in folded for value in values)
            counts["fields"] += 1
            counts["said"] += said
            value = record.get(field)
            if value in (None, "", []):
                continue
            right = plain(value) in wanted
            counts["filled"] += 1
            counts["right"] += right
            counts["right and said"] += right and said
            if not right:
                wrong.append(f"{name} {row['id']}: {field} = {value!r}, {values[-1]!r} was called")
    return counts, wrong


def main() -> None:
    print(
        "| sessions | fields | of them said | filled | right | precision | recall of what was said |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    total: Counter[str] = Counter()
    shown: list[str] = []
    for name in CORPORA:
        counts, wrong = measured(name)
        total += counts
        shown += wrong[:SHOWN]
        print(line(name, counts))
    print(line("all", total))
    if "--wrong" in sys.argv:
        print("\n".join(["", *shown]))


def line(name: str, counts: Counter[str]) -> str:
    precision = counts["right"] / max(1, counts["filled"])
    recall = counts["right and said"] / max(1, counts["said"])
    return (
        f"| {name} | {counts['fields']} | {counts['said']} | {counts['filled']} | "
        f"{counts['right']} | {precision:.2f} | {recall:.2f} |"
    )


if __name__ == "__main__":
    main()
