"""A session's date is sent once, with the first of its lines that is sent."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.said_once import session_of
from contextwright.retrieval.token_budget import within

MAY, JUNE = "[8 May 2023, 13:56] ", "[2 June 2023, 09:10] "
LINES = [
    ("a1", MAY + "Ann: Where did you see the heron?", "1"),
    ("a2", MAY + "Ben: Down by the old mill.", "1"),
    ("a3", MAY + "Ann: Nice heron.", "1"),
    ("b1", JUNE + "Ben: The heron is back.", "2"),
    ("b2", JUNE + "Ann: Good.", "2"),
]


def count(text):
    return len(text.split())


def index_of(lines):
    index = Index()
    index.add(
        Item(id, text, "turn", text.partition("] ")[2][:3], thread) for id, text, thread in lines
    )
    return index


def test_only_the_first_line_of_a_session_has_its_date():
    sent = within(index_of(LINES), "Where was the heron seen?", 100, count)
    assert [item.text for item in sent] == [
        MAY + "Ann: Where did you see the heron?",
        "Ben: Down by the old mill.",
        "Ann: Nice heron.",
        JUNE + "Ben: The heron is back.",
        "Ann: Good.",
    ]


def test_what_a_date_would_have_cost_is_room_for_lines():
    whole = sum(count(text) for _, text, _ in LINES)
    sent = within(index_of(LINES), "Where was the heron seen?", whole - 3 * 4, count)
    assert len(sent) == len(LINES)


def test_sessions_that_cross_are_told_one_after_the_other():
    crossed = [LINES[place] for place in (0, 3, 1, 4, 2)]
    sent = within(index_of(crossed), "Where was the heron seen?", 100, count)
    assert [item.id for item in sent] == ["a1", "a2", "a3", "b1", "b2"]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("[1:56 pm on 8 May, 2023] Ann: hi", "[1:56 pm on 8 May, 2023] "),
        ("[March-15-2024] user: hi", "[March-15-2024] "),
        ("[2024-03-15T10:00Z] hi", "[2024-03-15T10:00Z] "),
        ("[image: a dog] hi", None),
        ("[tool 3] hi", None),
        ("[see 2024](page) hi", None),
        ("on [8 May 2023] hi", None),
        ("[8 May 2023] ", None),
    ],
)
def test_what_is_a_date(text, date):
    session = session_of(Item("1", text, thread="t"))
    assert (session and session[1]) == date


def test_passages_keep_their_dates():
    index = Index()
    index.add(Item(str(n), f"[8 May 2023] Heron {n}.") for n in range(3))
    assert {item.text[:3] for item in within(index, "heron", 100, count)} == {"[8 "}


lines = st.lists(
    st.tuples(
        st.sampled_from(["", MAY, JUNE, "[x] "]),
        st.lists(st.sampled_from(["Ann:", "heron", "mill", "tea", "."]), min_size=1, max_size=6),
        st.sampled_from(["1", "2"]),
    ),
    max_size=10,
)


@settings(max_examples=40)
@given(lines, st.integers(0, 60))
def test_never_more_than_fits_and_never_a_session_without_its_date(lines, room):
    made = [(str(n), date + " ".join(text), thread) for n, (date, text, thread) in enumerate(lines)]
    index = index_of(made)
    full = {item.id: item for item in index.items()}
    sent = within(index, "heron at the mill", room, len)
    assert sum(len(item.text) for item in sent) <= room
    current = None
    for item in sent:
        session = session_of(full[item.id])
        if item.text == full[item.id].text:
            current = session
        elif session is not None and item.text == full[item.id].text[len(session[1]) :]:
            assert session == current
