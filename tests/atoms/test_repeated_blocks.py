"""What is told of repeated blocks as they come is what is told of them from the beginning."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Session, compile
from contextwright.atoms.compress import dedup
from contextwright.atoms.repeated_blocks import RepeatedCalls, RepeatedTexts
from contextwright.blocks.block import Block
from contextwright.testing import target_for


def superseded(blocks):
    """The places of what failed, or was called again later and did not fail: the definition."""
    later, places = set(), set()
    for place, block in reversed(list(enumerate(blocks))):
        calls = block.text.split()
        if block.failed or (calls and all(call in later for call in calls)):
            places.add(place)
        if not block.failed:
            later.update(calls)
    return places


def said_again(blocks):
    groups = {}
    for place, block in enumerate(blocks):
        groups.setdefault(block.text, []).append(place)
    return sorted(group for group in groups.values() if len(group) > 1)


BLOCKS = st.builds(
    lambda name, text, failed: Block(id=str(name), source="s", text=text, failed=failed),
    st.integers(0, 3),
    st.lists(st.sampled_from("abc"), max_size=3).map(" ".join),
    st.booleans(),
)


@given(st.lists(st.tuples(st.integers(0, 12), st.lists(BLOCKS, max_size=4)), max_size=8))
def test_as_they_come_or_from_the_beginning(steps):
    texts = RepeatedTexts(lambda block: block.text)
    calls = RepeatedCalls(lambda block: tuple(block.text.split()))
    blocks = ()
    for stay, new in steps:
        blocks = (*blocks[:stay], *new)
        texts.follow(blocks)
        calls.follow(blocks)
        assert sorted(texts.groups()) == said_again(blocks)
        assert calls.superseded == superseded(blocks)


def test_a_block_is_read_once(monkeypatch):
    session, target = Session("s"), target_for("openai-chat")
    spec = C.default() | C.dedup("structural") | C.budget(3000)
    for number in range(400):
        session.user(f"question {number % 50}")
        session.call("search", f'{{"q": {number % 60}}}', id=f"c{number}")
        session.result(f"c{number}", f"result {number % 60} " * 5)
    compile(session, spec, target=target)
    read = []
    key = dedup.exact_key
    monkeypatch.setattr(dedup, "exact_key", lambda text: read.append(text) or key(text))
    first = compile(session, spec, target=target)
    session.assistant("well")
    session.user("and?")
    compile(session, spec, target=target)
    assert 0 < len(read) <= 6  # four are new, and each is read for the table and for the request
    assert (
        compile(Session("s", events=list(session.log)[:-2]), spec, target=target).body == first.body
    )
