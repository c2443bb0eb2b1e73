"""A summary of a conversation that has grown reads what is new."""

import re
import sys

import pytest

from contextwright.blocks.block import Block, Message
from contextwright.memo.owned_tables import Tables
from contextwright.memo.ownership import remembering
from contextwright.models.embedded import answer
from contextwright.session.event import Text
from contextwright.spec.task import Task
from contextwright.text.end_messages import EndMessages


def block_of(n: int) -> Block:
    text = f"We decided that order {n} leaves on day {n % 9}. Nothing else was said of it."
    return Block(id=f"e{n}", source="log", messages=(Message("user", (Text(text=text),)),), order=n)


def test_a_block_is_taken_apart_once(monkeypatch: pytest.MonkeyPatch):
    split = list[str]()
    splitting = sys.modules["contextwright.models.embedded.statements"]
    sentences = splitting.sentences

    def counted(text: str) -> list[str]:
        split.append(text)
        return sentences(text)

    monkeypatch.setattr(splitting, "sentences", counted)
    blocks = tuple(map(block_of, range(60)))

    def summary(size: int) -> str:
        task = Task(kind="summary", max_tokens=400, blocks=blocks[:size])
        return answer(task, count=len).value

    with remembering(Tables()):
        summary(50)
        assert len(split) == 50
        again = summary(60)
        assert len(split) == 60
    assert again == summary(60)


def test_a_summary_of_very_much_is_of_the_first_and_the_newest_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
):
    module = sys.modules["contextwright.models.embedded.summary"]
    monkeypatch.setattr(module, "READ", 40 * len(block_of(1_000).plain_text))
    blocks = tuple(map(block_of, range(1_000, 1_600)))
    made = answer(Task(kind="summary", max_tokens=4_000, blocks=blocks), count=len)
    assert made.note.startswith("of 600 texts the first 16 and the newest 40 were read")
    said = {int(number) for number in re.findall(r"order (\d+)", made.value)}
    assert said and said <= {*range(1_000, 1_016), *range(1_560, 1_600)}
    assert not answer(Task(kind="summary", max_tokens=400, blocks=blocks[:50]), count=len).note


THINGS = ("crate", "ladder", "kettle", "lantern", "saddle", "anvil", "barrel", "bellows", "churn")
PLACES = ("mill", "shed", "barn", "yard", "cellar", "loft", "stable")


def talk_of(turns: int) -> tuple[Block, ...]:
    said: list[tuple[str, str]] = []
    for n in range(turns):
        thing, place = f"{THINGS[n % 9]} of lot {n // 9}", PLACES[n % 7]
        said += (
            ("user", f"Please carry the {thing} from the {PLACES[n % 5]} to the {place}."),
            ("assistant", f"I'll carry it there; the {place} of farm {n % 11} has room {n % 13}."),
            ("user", f"The {THINGS[n % 4]} was left at the {place} for {n % 17} days."),
            ("assistant", f"The {thing} is in the {place}, {n % 23} steps from its door."),
        )
    return tuple(
        Block(id=f"e{n}", source="log", messages=(Message(role, (Text(text=text),)),), order=n)
        for n, (role, text) in enumerate(said)
    )


def test_ends_are_looked_for_of_what_a_summary_has_room_for(monkeypatch: pytest.MonkeyPatch):
    looked = list[str]()
    look = EndMessages.end_of

    def counted(self: EndMessages, request: str, start: int, stop: int) -> int | None:
        looked.append(request)
        return look(self, request, start, stop)

    monkeypatch.setattr(EndMessages, "end_of", counted)

    answer(Task(kind="summary", max_tokens=300, blocks=talk_of(90)), count=len)
    assert len(looked) <= 100  # of 180 lines of users, and 90 of what an agent begins
