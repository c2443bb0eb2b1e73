"""A body that only grew needs no second look; one that is another does."""

import json

from hypothesis import given
from hypothesis import strategies as st
from tests.serve.raw_upstream import post, proxied, tool_loop

from contextwright import C
from contextwright.serve.known_bodies import KnownBodies, common_length


@given(st.binary(max_size=60), st.binary(max_size=60), st.binary(max_size=60))
def test_the_common_length_is_that_of_the_longest_common_beginning(start, one, other):
    one, other = start + one, start + other
    size = common_length(one, other)
    assert one[:size] == other[:size]
    assert size == min(len(one), len(other)) or one[size] != other[size]


def test_what_is_new_counts_by_its_bytes():
    known = KnownBodies(1000)
    known.note(b"k", b"a" * 100, 40, 100)
    assert known.fits(b"k", b"a" * 100 + b"b" * 50)
    assert not known.fits(b"k", b"a" * 100 + b"b" * 51)
    assert not known.fits(b"k", b"b" + b"a" * 99) and not known.fits(b"other", b"a" * 100)
    known.note(b"m", b"c" * 950, 1, 100)
    assert not known.fits(b"k", b"a" * 100), "the oldest one went"
    known.forget(b"m")
    assert not known.fits(b"m", b"c" * 950)


def test_a_body_that_grew_goes_out_without_a_second_look():
    with proxied() as (upstream, proxy):
        reasons = [
            post(proxy.url, tool_loop(count))[1]["x-contextwright-reason"] for count in (5, 6, 7)
        ]
        assert reasons == ["nothing is due", "it fits as it grew", "it fits as it grew"]
        assert json.loads(upstream.seen[2].body) == tool_loop(7)


def test_a_spec_of_ones_own_is_asked_at_every_call():
    with proxied(spec=C.compaction(100_000)) as (_, proxy):
        for count in (2, 3):
            _, headers, _ = post(proxy.url, tool_loop(count, lines=3))
            assert headers["x-contextwright-reason"] == "nothing is due"
