"""A body that is decoded from where it grew says what it says decoded whole."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.serve import grown_bodies
from contextwright.serve.grown_bodies import BACK, STEP, GrownBodies

MESSAGES = st.lists(
    st.dictionaries(st.sampled_from(["role", "messages", "a"]), st.text(max_size=9), max_size=2)
    | st.integers()
    | st.text(max_size=5)
    | st.just([[]]),
    min_size=0,
    max_size=9,
)
BESIDE = st.dictionaries(
    st.sampled_from(["model", "tools", "x", "messages "]),
    st.text(max_size=5) | st.just([]) | st.just({"messages": [1]}),
    max_size=2,
)


def whole(text):
    """What a reader of the whole says, or that it refuses it."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "refused"


def said(bodies, text, key=b"k"):
    try:
        return bodies.decoded(key, "messages", text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "refused"


@given(BESIDE, BESIDE, st.lists(MESSAGES, min_size=2, max_size=5), st.sampled_from([None, 1]))
def test_a_body_that_grows_says_what_it_says(front, behind, parts, indent):
    bodies, messages = GrownBodies(10**6), [{"n": n} for n in range(STEP)]
    for part in parts:
        messages = messages + part
        text = json.dumps({**front, "messages": messages, **behind}, indent=indent).encode()
        assert said(bodies, text) == whole(text)


@given(st.data())
def test_whatever_stands_behind_a_known_beginning(data):
    """Cut anywhere and gone on with by anything, commas and brackets above all."""
    messages = [{"n": n, "t": '"}],'} for n in range(2 * STEP)]
    known = json.dumps({"model": "m", "messages": messages, "tools": []}).encode()
    bodies = GrownBodies(10**6)
    assert said(bodies, known) == whole(known)
    at = data.draw(st.integers(min_value=len(known) // 2, max_value=len(known)))
    parts = [
        b",",
        b"]",
        b"}",
        b" ",
        b"[",
        b"{}",
        b'"messages":',
        b"1",
        b"[2]",
        b'"tools":[]',
        known[at:],
    ]
    text = known[:at] + b"".join(data.draw(st.lists(st.sampled_from(parts), max_size=7)))
    assert said(bodies, text) == whole(text)


FIRST = json.dumps({"messages": list(range(2 * STEP))})
HOSTILE = {
    "a field twice": FIRST[:-1] + ', "messages": [1, 2]}',
    "a field twice, in signs of its own": FIRST[:-1] + ', "\\u006dessages": [1, 2]}',
    "the same list twice": FIRST[:-1] + f', "messages": {json.dumps(list(range(2 * STEP)))}}}',
    "a comma too many": FIRST[:-2] + ",]}",
    "a number that goes on": FIRST[:-2] + "7]}",
    "a list that is an object": FIRST[:-2] + "}",
    "nothing behind": FIRST[:-2],
    "two bodies": FIRST + FIRST,
    "messages that are none": '{"messages": "' + FIRST.replace('"', "'") + '"}',
    "spaces behind": FIRST + " \n",
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_bodies_that_mean_something_else(what):
    bodies = GrownBodies(10**6)
    for text in (FIRST.encode(), HOSTILE[what].encode(), FIRST.encode(), HOSTILE[what].encode()):
        assert said(bodies, text) == whole(text)


def test_what_is_known_is_not_decoded_again(monkeypatch):
    """Counted in the bytes that are read: those of the first body, and then of what is new."""
    read = []
    decode = msgspec.json.decode

    def counted(text, **options):
        read.append(len(text))
        return decode(text, **options)

    monkeypatch.setattr(grown_bodies.msgspec.json, "decode", counted)
    bodies = GrownBodies(10**8)
    messages = [{"role": "user", "content": "words of a file " * 20} for _ in range(1000)]
    for _ in range(40):
        messages = [*messages, *messages[:2]]
        text = json.dumps({"messages": messages, "tools": [{}]}).encode()
        before, first = len(read), bodies.decoded(b"k", "messages", text)
        assert len(first["messages"]) == len(messages)
    assert sum(read[before:]) < len(text) / 10
    again = bodies.decoded(b"k", "messages", text)
    kept = [one is other for one, other in zip(first["messages"], again["messages"], strict=True)]
    assert kept.count(False) <= STEP + BACK and all(kept[: -STEP - BACK])


def test_conversations_that_begin_alike_do_not_drive_each_other_out(monkeypatch):
    bodies = GrownBodies(10**8)
    front = [{"role": "system", "content": "you are"}] * 3
    texts = [
        json.dumps({"messages": front + [{"n": n, "turn": t} for t in range(60)]}).encode()
        for n in range(4)
    ]
    first = [bodies.decoded(b"k", "messages", text) for text in texts]
    for text, known in zip(texts, first, strict=True):
        assert bodies.decoded(b"k", "messages", text)["messages"][0] is known["messages"][0]


def test_it_holds_no_more_than_it_may():
    bodies = GrownBodies(20_000)
    for n in range(50):
        text = json.dumps({"messages": [{"n": n}] * 500}).encode()
        bodies.decoded(b"%d" % n, "messages", text)
        assert bodies._size <= 20_000
    assert bodies._size == sum(len(one.text) for kept in bodies._known.values() for one in kept) > 0
