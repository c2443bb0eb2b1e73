"""A body that goes on from another is the bytes that it is by itself."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.formats.encoded_body import encoded_body

MESSAGES = [{"role": "user", "content": text} for text in ("", "a", "ä\n", "],[", '"messages":[')]
FIELDS = st.dictionaries(st.sampled_from(["a", "model", "zeta"]), st.sampled_from([1, "x", [], {}]))


@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from(MESSAGES), max_size=6), FIELDS, FIELDS), max_size=5
    ),
    st.sampled_from([None, "sorted"]),
)
def test_it_is_what_json_says(bodies, order):
    before = None
    for messages, front, behind in bodies:
        body = {**front, "messages": messages, **behind}
        before = encoded_body(body, "messages", order, before)
        assert before.text == msgspec.json.encode(body, order=order)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_a_list_that_grows_is_encoded_where_it_grew(steps):
    messages, before = [{"n": 0}], None
    for step in steps:
        messages = [*messages, *({"n": len(messages) + n} for n in range(step))]
        before = encoded_body({"messages": messages, "n": step}, "messages", None, before)
        assert msgspec.json.decode(before.text) == {"messages": messages, "n": step}
        assert [before.text[:end].endswith(b"}") for end in before.ends] == [True] * len(messages)


def test_what_stands_around_is_encoded_while_it_is_other_objects():
    tool, bodies = {"name": "find"}, []
    for tools in ([tool], [tool], [{"name": "find"}], [tool, tool], None):
        body = {"messages": MESSAGES, "model": "m", "tools": tools}
        made = encoded_body(body, "messages", "sorted", bodies[-1] if bodies else None)
        assert made.text == msgspec.json.encode(body, order="sorted")
        bodies.append(made)
    frames = [made.frame for made in bodies]
    assert [one is other for one, other in pairwise(frames)] == [True, False, False, False]
    # a body of somebody else's, whose values may be written into
    made = encoded_body({"n": [1], "messages": []}, "messages")
    made.frame.others[0].append(2)
    assert encoded_body(
        {"n": made.frame.others[0], "messages": []}, "messages", None, made
    ).text == (b'{"n":[1,2],"messages":[]}')


@pytest.mark.parametrize("body", [{"text": "all"}, {"messages": None}, {"messages": {}}, {}])
def test_a_body_without_a_list_is_encoded_whole(body):
    before = encoded_body({"messages": [{}]}, "messages")
    made = encoded_body(body, "messages", before=before)
    assert made.text == msgspec.json.encode(body) and not made.items
    assert encoded_body({"messages": [{}]}, "messages", before=made).text == before.text
