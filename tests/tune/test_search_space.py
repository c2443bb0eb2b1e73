"""The space of a spec: every option whose word names its values, and words that may go."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C
from contextwright.errors import SpecError
from contextwright.spec import ATOMS, from_json, to_json
from contextwright.spec.ranges import ValueRange
from contextwright.tune import dimensions, varied

SPACES = (
    C.default() | C.compact() | C.compaction(),
    C.window(steps=20) | C.dedup() | C.compress_results() | C.fit(9000),
    C.from_state("plan") + C.window(n=5) + C.memory() | C.redact(["email"]) | C.budget(8000),
    C.from_compaction().or_else(C.recent()) | C.truncate(max_tokens=500) | C.budget(4000),
    C.when("plan", C.window(n=2), otherwise=C.salient()) | C.decay() | C.budget(4000),
)
MEANING = {  # numbers that say what, or follow from others: a search leaves them
    ("compaction", "soft"), ("compaction", "headroom"), ("compress_results", "budget"),
    ("offload", "min_tokens"), ("offload", "max_tokens"), ("priority", "tier"), ("relevant", "max_tokens"),
    ("summary_constraint", "max_tokens"), ("summary_constraint", "window"), ("validate", "max_age"), ("vary", "seed"),
}  # fmt: skip


def test_every_number_of_every_word_has_its_range():
    numbers = {
        (word, field.name)
        for word, struct in ATOMS.items()
        for field in msgspec.structs.fields(struct)
        if set(str(field.type).replace("|", " ").split()) & {"<class", "int", "float"}
        and any(kind in str(field.type) for kind in ("int", "float"))
    }
    ranged = {(word, name) for word, struct in ATOMS.items() for name in struct.ranges}
    assert numbers - ranged == MEANING and not MEANING & ranged


@pytest.mark.parametrize("word", sorted(word for word in ATOMS if ATOMS[word].ranges))
def test_the_ends_of_a_range_are_values_of_the_word(word):
    struct = ATOMS[word]
    required = {"cap": {"max_tokens": 100}, "budget": {"max_tokens": 100}, "fit": {"target_tokens": 100},
                "truncate": {"max_tokens": 100}, "fresh": {"max_age": 1},
                "sliding": {"window": 40_000, "recent": 10}, "evidence": {"uris": ("a",)}}  # fmt: skip
    for name, values in struct.ranges.items():
        assert name in struct.__struct_fields__
        tried = values if not isinstance(values, ValueRange) else (values.low, values.high)
        for value in tried:
            if isinstance(values, ValueRange) and values.of_budget and word == "sliding":
                continue  # shares of one budget; alone they do not go together
            struct(**{**required.get(word, {}), name: value})


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_a_space_holds_the_spec_as_it_is_written(space):
    again = varied((space,), lambda one: one.now, 8000)
    assert {one.name for one in dimensions(again, 8000)} == {
        one.name for one in dimensions(space, 8000)
    }
    if "max_tokens=0" not in repr(space) and "compaction()" not in repr(space):
        assert again == space or "9000" in repr(space)


@pytest.mark.parametrize("space", SPACES, ids=repr)
@given(data=st.data())
def test_whatever_is_picked_is_a_spec_within_the_budget(space, data):
    def picked(one):
        if one.choices:
            return data.draw(st.sampled_from(one.choices), label=one.name)
        whole = isinstance(one.low, int) and isinstance(one.high, int)
        numbers = st.integers if whole else st.floats
        return data.draw(numbers(one.low, one.high), label=one.name)

    try:
        spec = varied((space,), picked, 8000)
    except SpecError:
        return  # options that a word does not take together; it says so
    assert from_json(to_json(spec)) == spec
    assert "C.redact" not in repr(space) or "C.redact" in repr(spec)
    assert "from_state" not in repr(space) or "from_state" in repr(spec)
    for one in dimensions(spec, 8000):
        if one.name.endswith(("budget.max_tokens", "target_tokens")):
            assert one.now <= 8000


def test_words_can_go_and_guards_never():
    space = C.window(n=4) | C.compact() | C.redact(["email"]) | C.budget(4000)
    gone = varied((space,), lambda one: False if one.choices == (True, False) else one.now, 4000)
    assert gone == C.window(n=4) | C.redact(["email"]) | C.budget(4000)


def test_of_several_specs_one_is_picked_first():
    seen = []

    def second(one):
        seen.append(one.name)
        return 1 if one.name == "space" else one.now

    assert varied((C.default(), C.window(n=3)), second, 100) == C.window(n=3)
    assert seen == ["space", "1.0.window.n", "1.0.window.stride"]
