"""Which message was which: with ids that repeat, and with messages that are left out, rewritten and
added."""

from hypothesis import example, given
from hypothesis import strategies as st

from contextwright.adapters.message_sources import message_sources

NOTE = {"role": "user", "content": "what was left out"}


def call(id, tool="read", arguments="{}"):
    function = {"name": tool, "arguments": arguments}
    calls = [{"id": id, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(id, text="done"):
    return {"role": "tool", "tool_call_id": id, "content": text}


def text(role, words):
    return {"role": role, "content": words}


def rewritten(wire):
    """The message with another text, other arguments."""
    if calls := wire.get("tool_calls"):
        function = {**calls[0]["function"], "arguments": '{"x": "gone"}'}
        return {**wire, "tool_calls": [{**calls[0], "function": function}]}
    return {**wire, "content": "gone"}


def test_calls_of_one_id_are_each_their_own():
    before = [call("0", "send"), result("0"), text("user", "go"), call("0", "delete"), result("0")]
    assert message_sources(before, list(map(rewritten, before))) == [0, 1, 2, 3, 4]
    assert message_sources(before, [*map(rewritten, before[:2]), *before[2:]]) == [0, 1, 2, 3, 4]


def test_what_stood_between_a_call_and_its_result_is_known_behind_them():
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    shot = {"role": "user", "content": [picture]}
    before = [text("user", "go"), call("0"), shot, result("0")]
    after = [before[0], before[1], before[3], {**shot}]
    assert message_sources(before, after) == [0, 1, 3, 2]
    assert message_sources(before, [*before[:2], before[3], NOTE]) == [0, 1, 3, None]


def test_what_is_left_out_shifts_no_other():
    before = [each for n in range(4) for each in (call("0", f"tool {n}"), result("0", f"text {n}"))]
    for gone in range(4):
        rest = [n for n in range(8) if n // 2 != gone]
        assert message_sources(before, [rewritten(before[n]) for n in rest]) == rest


def test_of_calls_that_are_alike_the_first_are_left_out():
    before = [each for _ in range(3) for each in (call("0"), result("0"))]
    assert message_sources(before, list(map(rewritten, before[2:]))) == [2, 3, 4, 5]


def test_results_of_one_id_in_one_exchange_are_told_apart_by_their_order():
    calls = call("0")["tool_calls"] + call("0", "write")["tool_calls"]
    before = [{**call("0"), "tool_calls": calls}, result("0", "a"), result("0", "b")]
    after = [before[0], result("0", "one"), result("0~1", "two")]
    assert message_sources(before, after) == [0, 1, 2]


def test_what_is_added_to_the_instruction_stands_behind_it():
    before = [text("system", "be brief"), text("user", "hi")]
    after = [text("system", "gone"), text("system", "be kind"), before[1]]
    assert message_sources(before, after) == [0, None, 1]


def test_an_object_that_stands_twice_is_each_time_its_own():
    same = text("user", "on")
    before = [same, text("assistant", "ok"), same]
    assert message_sources(before, before) == [0, 1, 2]


TURNS = st.lists(
    st.tuples(
        st.sampled_from(["0", "1"]),  # the id of its call
        st.sampled_from(["left", "dropped", "call", "result", "both"]),  # what becomes of it
        st.booleans(),  # whether something is added behind it
    ),
    max_size=8,
)


@given(TURNS)
def test_each_message_is_found_among_all_changes(turns):
    """Every turn has a tool of its own, as a call of the same id has in what models send."""
    before, after, truth = [], [], []
    for number, (id, change, has_note) in enumerate(turns):
        turn = [call(id, f"tool {number}"), result(id, f"text {number}"), text("user", f"{number}")]
        changed = {"call": {0}, "result": {1}, "both": {0, 1}}.get(change, set())
        if change != "dropped":
            truth += range(len(before), len(before) + 3)
            after += [rewritten(each) if n in changed else each for n, each in enumerate(turn)]
        before += turn
        if has_note:
            after.append(NOTE | {"content": f"note {number}"})
            truth.append(None)
    sources = message_sources(before, after)
    assert [s for s, wire in zip(sources, after, strict=True) if wire["role"] != "user"] == [
        s for s, wire in zip(truth, after, strict=True) if wire["role"] != "user"
    ]
    known = [source for source in sources if source is not None]
    assert known == sorted(set(known))


KINDS = [call("0"), call("1"), result("0"), result("1"), text("user", "a"), text("user", "b")]
CHANGES = st.tuples(st.sampled_from(KINDS), st.sampled_from(["left", "dropped", "rewritten"]))


@example([(KINDS[0], "rewritten"), (KINDS[4], "rewritten"), (KINDS[0], "dropped")])
@given(st.lists(CHANGES, max_size=24))
def test_no_message_is_two_and_each_is_of_its_id(changes):
    """Whatever is dropped: what is unchanged is itself, what is rewritten is of the same id."""
    messages = [(number, dict(wire), change) for number, (wire, change) in enumerate(changes)]
    before = [wire for _, wire, _ in messages]
    rest = [each for each in messages if each[2] != "dropped"]
    after = [rewritten(wire) if change == "rewritten" else wire for _, wire, change in rest]
    sources = message_sources(before, after)
    assert None not in sources
    assert sources == sorted(set(sources))
    for source, (number, wire, change) in zip(sources, rest, strict=True):
        assert source == number or change == "rewritten"
        assert before[source].get("tool_call_id") == wire.get("tool_call_id")
        assert before[source]["role"] == wire["role"]


def test_a_section_beside_a_message_that_was_changed_is_not_that_message():
    """The one had the other's words, and its pictures with them."""
    section = text(
        "user", '<context_block source="left_out" sign="a">\n1 exchange\n</context_block>'
    )
    before = [
        text("user", "hi"),
        text("assistant", "yes"),
        text("user", "a@b.co"),
        text("user", "go"),
    ]
    changed = text("user", "[REDACTED]")
    after = [before[0], section, changed, dict(section), before[3]]
    assert message_sources(before, after) == [0, None, 2, None, 3]
