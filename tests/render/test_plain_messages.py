"""What `are_plain` says of a list of OpenAI Chat's messages is what the rules say of it."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.render.openai_chat_rules import ALONE, PLAIN, RULES, are_plain
from contextwright.render.shared_rules import broken_rules

IDS = st.sampled_from(["a", "b", "", "x" * 41, None, 7])
ROLES = st.sampled_from(["system", "user", "assistant", "tool", "human", None, ["tool"]])
CONTENTS = st.sampled_from(
    ["Hello.", "", None, [], [{"type": "text", "text": "x"}], [{"type": "image_url"}], 3]
)
FUNCTIONS = st.sampled_from(
    [
        {"name": "look", "arguments": "{}"},
        {"name": "look", "arguments": "[1]"},
        {"name": "no name", "arguments": "{}"},
        {"name": "look"},
        None,
    ]
)
CALLS = st.fixed_dictionaries(
    {"id": IDS, "type": st.sampled_from(["function", "custom"]), "function": FUNCTIONS}
)
MESSAGES = st.one_of(
    st.fixed_dictionaries(
        {"role": ROLES, "content": CONTENTS},
        optional={
            "tool_call_id": IDS,
            "tool_calls": st.one_of(st.lists(CALLS, max_size=3), st.none(), st.just("calls")),
        },
    ),
    st.sampled_from(["no object", None]),
)
CALL = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
GOOD = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi."},
    {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "b"}]},
    {"role": "tool", "tool_call_id": "b", "content": "two"},
    {"role": "tool", "tool_call_id": "a", "content": "one"},
    {"role": "assistant", "content": "Done."},
]


def kept(messages, names=PLAIN):
    return not broken_rules({name: RULES[name] for name in names}, {"messages": messages})


@given(st.lists(MESSAGES, max_size=5))
def test_what_is_plain_keeps_the_rules(messages):
    if are_plain(messages):
        assert kept(messages)


@given(st.lists(MESSAGES, max_size=5))
def test_what_is_plain_but_for_what_its_calls_say_keeps_the_rules_of_neighbours(messages):
    if are_plain(messages, alone=False):
        assert kept(messages, PLAIN - ALONE.keys())


def test_of_neighbours_no_arguments_are_read():
    told = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "no JSON"}}
    messages = [*GOOD[:2], {**GOOD[2], "tool_calls": [told]}, *GOOD[4:]]
    assert are_plain(messages, alone=False) and not are_plain(messages)


@given(st.integers(0, len(GOOD)), MESSAGES)
def test_one_among_others(place, message):
    messages = [*GOOD[:place], message, *GOOD[place:]]
    if are_plain(messages):
        assert kept(messages)


def test_what_nearly_all_requests_have_is_plain():
    assert are_plain(GOOD) and kept(GOOD)
    for missing in range(2, 5):
        rest = [one for place, one in enumerate(GOOD) if place != missing]
        assert not are_plain(rest) and not kept(rest)
