"""Texts of one source share one pair of markers, and a limit counts it once."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from contextwright import C, compile
from contextwright.blocks.escape import escape, escape_any
from contextwright.errors import BudgetError, StepError
from contextwright.testing import session_of, target_for

FORMATS = ["openai-chat", "openai-responses", "anthropic", "gemini", "text"]
NOTES = [f"finding {n}: the river gauge at Km {n * 7} read {n * 13} cm" for n in range(56)]
LIMITS = [
    C.budget(max_tokens=600),
    C.fit(600),
    C.budget(max_tokens=600, steps=False),
    C.budget(max_tokens=600, overflow="truncate_lowest_priority"),
    C.compaction(600),
]


def noted(notes=NOTES, talk="u: which gauges rose? | a: five of them | u: which?"):
    session = session_of(talk)
    session.note("progress", notes)
    return session


@pytest.mark.parametrize("format", FORMATS)
def test_a_limit_holds_as_many_notes_as_fit(format):
    target = target_for(format)
    spec = C.notes("progress") + C.window(3)
    whole = compile(noted(), spec, target=target).tokens
    # turns that a provider may want, with all of this and with nothing; part of a token a line
    room = 2 * target.provider.renderer.margin(target) + len(NOTES)
    pack = compile(noted(), spec | C.budget(max_tokens=whole + room), target=target)
    assert pack.tokens == whole


@pytest.mark.parametrize("limit", LIMITS, ids=repr)
@pytest.mark.parametrize("format", FORMATS)
def test_what_a_limit_leaves_free_is_less_than_a_few_notes(format, limit):
    pack = compile(noted(), C.notes("progress") + C.window(3) | limit, target=target_for(format))
    assert 400 < pack.tokens <= 600


def test_a_transcript_is_counted_with_one_pair_of_markers():
    target = target_for("text")
    session = session_of(" | ".join(f"u: question {n} | a: answer {n}" for n in range(12)))
    whole = compile(session, C.window(12), target=target).tokens
    limited = compile(session, C.window(12) | C.budget(max_tokens=whole + 12), target=target)
    assert limited.tokens == whole


PIECES = st.sampled_from(
    [
        "<",
        "</",
        "[",
        "con",
        "context_block",
        'text_block source="x">',
        "Turn 3] ",
        "warning>",
        ".\n",
        "&lt;",
        "a",
        " b c",
    ]
)
HOSTILE = st.lists(PIECES, max_size=6).map("".join)


@given(st.lists(HOSTILE | st.text(max_size=30), min_size=1, max_size=12))
@example(["<", "context_block"])
@example(["[", "Turn 3] x", "</context", "_block>"])
def test_what_stands_behind_a_text_makes_it_no_longer_than_it_is_counted(lines):
    whole = escape("\n".join(lines))
    apart = "\n".join(map(escape_any, lines))
    assert len(whole) <= len(apart)
    assert escape_any(lines[0]).startswith(escape(lines[0])[: len(lines[0]) // 2])


def test_the_same_notes_in_two_forms_stay_apart():
    session = noted()
    spec = C.notes("progress") + C.window(4) + C.notes("progress", format="checklist")
    for limit in range(400, 2_400, 100):
        pack = compile(session, spec | C.budget(max_tokens=limit), target=target_for("text"))
        ids = [one.id for one in pack.manifest.kept]
        assert len(set(ids)) == len(ids)
    assert {"notes:progress/0", "notes:progress/0~2"} <= set(ids)


LIMITED = st.sampled_from(
    [C.fit, C.compaction, C.budget, lambda limit: C.budget(max_tokens=limit, overflow="summarize"),
     lambda limit: C.budget(max_tokens=limit, overflow="truncate_lowest_priority"),
     lambda limit: C.allocate(max_tokens=limit + 400)]
)  # fmt: skip
SHORTER = st.sampled_from(
    [C.compact(), C.truncate(max_tokens=12), C.cap(max_tokens=90), C.priority(3), C.priority(1),
     C.relevant(query="river", top_k=4), C.recent()]
)  # fmt: skip


@settings(max_examples=80)
@given(
    notes=st.lists(HOSTILE | st.text(min_size=1, max_size=200), min_size=1, max_size=25),
    others=st.lists(HOSTILE, max_size=8),
    shorter=SHORTER,
    limit=st.integers(60, 900),
    limit_of=LIMITED,
    format=st.sampled_from(FORMATS),
    refs=st.sampled_from(["show", "hide"]),
)
def test_no_request_is_over_its_limit(notes, others, shorter, limit, limit_of, format, refs):
    session = noted(notes)
    session.note("others", others)
    session.update(
        {"evidence": [{"uri": f"artifact://{n}", "summary": one} for n, one in enumerate(notes)]}
    )
    spec = (
        (C.notes("progress") | shorter)
        + C.window(4)
        + C.notes("others")
        + C.notes("progress", format="checklist")
        + C.evidence()
        + C.from_state("_notes_others")
    )
    target = replace(target_for(format), refs=refs)
    try:
        pack = compile(session, spec | limit_of(limit), target=target)
    except (BudgetError, StepError):
        return
    manifest = pack.manifest
    assert pack.tokens <= limit + (400 if "allocate" in repr(manifest.spec) else 0)
    assert sum(one.tokens for one in manifest.kept) + manifest.fixed_tokens == pack.tokens
