"""What is kept beside the typed fields brings the source back."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.formats.provenance import residue, restored, same

keys = st.sampled_from(["a", "b", "c", "$absent", "$items", "$whole"])
scalars = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | st.text(max_size=3)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(values, values)
def test_a_residue_turns_what_is_written_into_the_source(written, source):
    assert same(restored(written, residue(written, source)), source)


@given(values)
def test_what_writing_gives_back_leaves_no_residue(value):
    assert residue(value, value) == {}


def test_new_keys_stand_in_the_residue_as_they_stood_in_the_source():
    written = {"role": "user", "content": "hi", "name": None}
    source = {"role": "user", "content": "hi", "cache_control": {"type": "ephemeral"}}
    assert residue(written, source) == {
        "cache_control": {"type": "ephemeral"},
        "$absent": ["name"],
    }


def test_one_and_one_point_nought_and_true_are_three_values():
    assert residue({"x": 1}, {"x": 1.0}) and residue({"x": 1}, {"x": True})
