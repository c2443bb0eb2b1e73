"""What a model is given of a text that it asked for, page by page."""

import itertools
import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from contextwright.engine.expanded_text import answer_of, read_call


@given(
    st.text("ab \n\r漢", min_size=5, max_size=60).map(lambda text: text * 40),
    st.lists(st.integers(64, 400), min_size=1, max_size=6),
    st.sampled_from([0, 90, 200]),
)
@settings(deadline=None)
def test_pages_that_get_smaller_on_the_way_are_still_all_of_it_and_nothing_twice(
    text, rooms, max_tokens
):
    """What there is room for changes from page to page; the page that follows goes on behind it."""
    arguments = {"ref": "event://e1", "max_tokens": max_tokens}
    given, rooms = "", itertools.cycle(rooms)
    for _ in range(4_000):
        call = read_call(arguments, wanted="ref")
        most = min(max_tokens or 200, 200) if call.page == 1 else call.max_tokens or 200
        answer = answer_of(call, text, len, tool="expand", most=most, room=next(rooms))
        page, _, foot = answer.rpartition("\n[")
        given += page
        if (following := re.search(r"next: expand\((.*)\)\]$", foot)) is None:
            break
        named = re.findall(r"(\w+)=(\"[^\"]*\"|\d+)", following[1])
        arguments = {name: json.loads(value) for name, value in named}
    assert given == text
