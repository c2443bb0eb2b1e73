"""Texts and data of every type: cooled in place, the user's words and all else untouched."""

import dataclasses
import enum
import functools
from typing import NamedTuple

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.adapters.wrap import Cooled, with_context_management
from contextwright.errors import SpecError
from contextwright.stores import FileArtifacts
from contextwright.tokens.counter import named_counter

COUNT = named_counter("o200k_base").count
LONG = " ".join(f"Supplier {n} confirmed order A{n} at {n} euros." for n in range(60))


def echo(text):
    return text


def texts():
    pieces = st.sampled_from(
        (
            "word ",
            "A sentence. ",
            "\n\n",
            "user: hi\n",
            "```\ncode\n",
            "漢字かな。",
            "👨‍👩‍👧‍👦",
            "x" * 40,
        )
    )
    return st.lists(pieces | st.text(max_size=8), max_size=120).map("".join)


@given(texts(), st.integers(1, 200))
def test_identity_under_the_threshold_and_under_budget_above_it(text, threshold):
    cooled = Cooled(echo, threshold)
    made = cooled(text)
    if COUNT(text) <= threshold:
        assert made is text
        assert not cooled.last.cooled
    else:
        assert COUNT(made) <= max(threshold, 16)  # nobody can answer nothing
        assert cooled.last.tokens_after == COUNT(made)
        assert cooled.last.changes
    assert bool(cooled.last.why) == (COUNT(made) > threshold)


def test_the_last_paragraph_of_a_bare_text_is_the_question_and_stays():
    question = "Which supplier was the cheapest?"
    made = Cooled(echo, 200)(f"{LONG}\n\n{question}")
    assert made.endswith(f"\n\n{question}")
    assert COUNT(made) <= 200


def test_lines_of_the_user_stay_word_for_word():
    said = ["User: Find the   cheapest supplier,please", "human: now!"]
    text = f"{said[0]}\nAssistant: {LONG}\n{said[1]}\nAssistant: {LONG}"
    made = Cooled(echo, 300)(text)
    assert [line for line in made.splitlines() if line in said] == said


def test_a_last_paragraph_that_is_as_long_as_all_the_rest_is_context():
    made = Cooled(echo, 100)(f"Intro.\n\n{LONG}")
    assert COUNT(made) <= 100


@pytest.mark.parametrize("name", ["question", "query", "user_input", "task", "goal", "request"])
def test_arguments_that_are_the_users_by_name_are_never_touched(name):
    seen = {}

    def agent(context, **kwargs):
        seen.update(kwargs, context=context)

    cooled = Cooled(agent, 100)
    cooled(LONG, **{name: LONG})
    assert seen[name] is LONG
    assert len(seen["context"]) < len(LONG)
    assert "by themselves" in cooled.last.why


def test_names_of_ones_own():
    def agent(notes, wish):
        return notes, wish

    notes, wish = Cooled(agent, 600, user="wish")(LONG, LONG)
    assert wish is LONG
    assert notes != LONG
    cooled = Cooled(agent, 600, context=["wish"])
    notes, wish = cooled(LONG, LONG)
    assert notes is LONG
    assert wish != LONG


@dataclasses.dataclass(frozen=True)
class Frozen:
    question: str
    docs: tuple[str, ...]
    n: int = 3


@dataclasses.dataclass
class Slotted:
    __slots__ = ("context", "n")
    context: str
    n: int


class Pair(NamedTuple):
    notes: str
    n: int


class Struct(msgspec.Struct, frozen=True):
    notes: str
    n: int


class Model(pydantic.BaseModel, frozen=True):
    notes: str
    n: int
    inner: dict[str, list[str]] = {}


@pytest.mark.parametrize(
    "value",
    [
        {"notes": LONG, "n": 1},
        Frozen(LONG[:40], (LONG, "short")),
        Slotted(LONG, 2),
        Pair(LONG, 1),
        Struct(LONG, 1),
        Model(notes="short", n=1, inner={"docs": [LONG, "b"]}),
        [LONG, 1, None],
        (LONG, {"deep": [LONG]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_types_stay_and_what_was_given_is_not_changed(value):
    before = repr(value)
    cooled = Cooled(echo, 300)
    made = cooled(value)
    assert type(made) is type(value)
    assert repr(value) == before
    assert made != value
    assert cooled.last.tokens_after <= 300
    assert Cooled(echo, 100_000)(value) is value


def test_a_frozen_dataclass_keeps_its_users_words_and_its_other_fields():
    given = Frozen("Which one?", (LONG, "short"))
    made = Cooled(echo, 200)(given)
    assert (made.question, made.n, made.docs[1]) == ("Which one?", 3, "short")
    assert len(made.docs[0]) < len(LONG)


def test_the_largest_give_first():
    made = Cooled(echo, 500)({"a": LONG, "b": LONG[:400], "c": LONG})
    assert made["b"] == LONG[:400]
    assert abs(COUNT(made["a"]) - COUNT(made["c"])) < 30


def test_what_is_no_text_is_left_alone():
    data = "QUJD" * 2000
    given = {"image": data, "notes": LONG, "tools": [{"description": LONG}], "model": "m"}
    made = Cooled(echo, 300)(given)
    assert made["image"] is data
    assert made["tools"] is given["tools"]
    assert made["notes"] != LONG


def test_a_value_that_holds_itself_is_walked_once():
    given = {"notes": LONG}
    given["self"] = given
    made = Cooled(echo, 100)(given)
    assert made["self"] is given
    assert len(made["notes"]) < len(LONG)


def test_the_whole_is_kept_and_the_text_ends_with_its_ref(tmp_path):
    store = FileArtifacts(tmp_path)
    cooled = Cooled(echo, 200, artifacts=store)
    made = cooled(LONG)
    (change,) = cooled.last.changes
    assert made.endswith(f"[full text: {change.ref}, {COUNT(LONG)} tokens]")
    assert store.get(change.ref).decode() == LONG
    assert COUNT(made) <= 200


def test_dropped_messages_and_shortened_ones_are_kept_too(tmp_path):
    store = FileArtifacts(tmp_path)
    messages = [{"role": "user", "content": "go"}]
    for n in range(30):
        messages.append({"role": "assistant", "content": f"{n}. {LONG}"})
    cooled = Cooled(echo, 900, artifacts=store)
    made = cooled(messages)
    assert cooled.last.tokens_after <= 900
    for change in cooled.last.changes:
        place = int(change.where.partition("[")[2].rstrip("]"))
        assert store.get(change.ref).decode() == messages[place]["content"]
    short = [one["content"] for one in made if one not in messages]
    assert short
    assert all("[full text: artifact://cooled/" in text for text in short)
    assert not any("event://" in text for text in short)


def test_a_report_says_what_was_done_and_who_did_it():
    heard = []
    cooled = Cooled(echo, 200, on_cool=heard.append)
    cooled("short")
    assert heard == []
    assert not cooled.last.cooled
    cooled({"state": {"docs": ["x", LONG]}})
    (report,) = heard
    assert report is cooled.last
    assert report.by == ("extractive",)
    (change,) = report.changes
    assert change.where == "text.state.docs[1]"
    assert (change.tokens_before, change.action) == (COUNT(LONG), "summarized")
    assert report.tokens_after <= 200 < report.tokens_before


def test_tokens_are_the_models():
    text = LONG[:1200]
    real = Cooled(echo, COUNT(text))
    assert real(text) is text
    claude = Cooled(echo, COUNT(text), model="claude-sonnet-4-5")
    assert claude(text) != text


def test_the_summary_is_about_what_is_asked():
    def agent(context, question):
        return context

    fact = "The warranty of the blue pump lasts nine years."
    words = ("harbour", "ledger", "meadow", "violin", "granite", "lantern", "orchard", "compass")
    others = [f"The {a} near the {b} was repainted twice." for a in words for b in words]
    context = " ".join([*others[:40], fact, *others[40:]])
    made = Cooled(agent, 120)(context, "How long does the warranty of the blue pump last?")
    assert fact in made
    bare = Cooled(echo, 120)(f"{context}\n\nHow long does the warranty of the pump last?")
    assert fact in bare


def test_the_documents_way_to_wrap():
    cooled = with_context_management(echo, window_size=300)
    assert repr(cooled) == "Cooled(echo, threshold=300)"
    assert COUNT(cooled(LONG)) <= 300
    assert COUNT(cooled.invoke(LONG)) <= 300


@pytest.mark.parametrize("make", [lambda: Cooled(echo, 0), lambda: Cooled(object())])
def test_what_can_not_be_cooled_is_refused(make):
    with pytest.raises(SpecError) as caught:
        make()
    assert caught.value.fix


class Markup(str):
    def __new__(cls, text, author):
        made = super().__new__(cls, text)
        made.author = author
        return made


class Slotted(str):
    __slots__ = ()


class Kind(enum.StrEnum):
    LONG = LONG


@pytest.mark.parametrize("text", [Markup(LONG, "Ann"), Slotted(LONG)])
def test_a_kind_of_text_stays_one(text):
    for made in (Cooled(echo, 100)(text), Cooled(echo, 100)({"doc": text})["doc"]):
        assert type(made) is type(text)
        assert COUNT(made) <= 100
        assert getattr(made, "author", "") == getattr(text, "author", "")


def test_a_member_of_an_enum_is_no_text():
    assert Cooled(echo, 100)({"kind": Kind.LONG, "doc": LONG})["kind"] is Kind.LONG


class Report(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")

    doc: str
    _seen: int = pydantic.PrivateAttr(default=0)

    @pydantic.field_validator("doc")
    @classmethod
    def is_long(cls, doc):
        assert len(doc) > 1000
        return doc

    @functools.cached_property
    def prompt(self):
        return f"Read this: {self.doc}"


@dataclasses.dataclass(frozen=True)
class Page:
    doc: str

    @functools.cached_property
    def prompt(self):
        return f"Read this: {self.doc}"


@pytest.mark.parametrize("given", [Report(doc=LONG, more=LONG), Page(LONG)])
def test_what_was_worked_out_of_the_long_text_is_worked_out_anew(given):
    assert LONG in given.prompt
    made = Cooled(echo, 100)(given)
    assert type(made) is type(given)
    assert made.prompt == f"Read this: {made.doc}"
    assert COUNT(made.doc) <= 100
    assert LONG in given.prompt


def test_the_further_fields_and_private_attributes_of_a_model_are_its_own():
    given = Report(doc=LONG, more=LONG, count=3)
    given._seen = 7
    made = Cooled(echo, 300)(given)
    assert COUNT(made.doc) + COUNT(made.more) <= 300
    assert (made.count, made._seen) == (3, 7)
    assert given.more == LONG


@pytest.mark.parametrize(
    "given",
    [
        [{"role": "user", "text": LONG}, {"role": "bot", "text": LONG}],
        [{"from": "human", "value": LONG}, {"from": "gpt", "value": LONG}],
        {"log": [{"sender": "User", "text": LONG}, {"sender": "bot", "text": LONG}], "n": 3},
        [("human", LONG), ("ai", LONG), "And now?"],
        [{"role": "assistant", "content": LONG}, LONG],
    ],
)
def test_the_users_words_stay_in_conversations_of_any_form(given):
    cooled = Cooled(echo, 150)
    made = cooled(given)
    assert str(made).count(LONG) == 1
    assert len(str(made)) < len(str(given)) * 0.8
    assert cooled.last.why


def test_a_list_of_texts_is_context():
    made = Cooled(echo, 150)([LONG, LONG])
    assert sum(map(COUNT, made)) <= 150
