"""Whose doing a lost prefix is, what it costs, and what is left of what a note stands for."""

import msgspec
import pytest

from contextwright import C, Session, target
from contextwright.compiler.manifest import Manifest, PrefixLoss, manifest_from_json
from contextwright.compiler.note_members import MEMBER_WORDS, NOTHING, VALUES, note_members
from contextwright.compiler.pack import Pack
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.compiler.steps.forms import FORMS
from contextwright.engine.engine import memo_of
from contextwright.session.event import Tool

TEXT = "The order AX-{n} was sent to the shop in Lyon, by the carrier of the north. " * 12


def packs(spec, model="claude-sonnet-4-5", turns=24, **options):
    session, previous = Session("s"), None
    compiler = SpecCompiler(spec, memo=memo_of(session.log))
    compiled = target(model, **options)
    for n in range(turns):
        session.user(f"where is order AX-{n}?")
        pack = compiler.compile(session.snapshot(), compiled, previous=previous)
        yield session, pack
        previous = pack
        session.assistant(TEXT.format(n=n))


def losses(spec, **options):
    return [
        pack.manifest.prefix.loss
        for _, pack in packs(spec, **options)
        if pack.manifest.prefix is not None and pack.manifest.prefix.loss is not msgspec.UNSET
    ]


def test_a_request_that_only_grows_has_lost_nothing():
    assert losses(C.default()) == []


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"])
def test_a_turn_that_only_grows_reads_no_request_again(model, monkeypatch):
    reads = []
    monkeypatch.setattr(Pack, "request", property(lambda pack: reads.append(pack)))
    for _, pack in packs(C.default(), model=model):
        assert pack.manifest.prefix is None or pack.manifest.prefix.loss is msgspec.UNSET
    assert reads == []


def test_what_was_lost_is_told_without_reading_a_request_again(monkeypatch):
    reads = []
    told = losses(C.window(3))
    monkeypatch.setattr(Pack, "request", property(lambda pack: reads.append(pack)))
    assert told and losses(C.window(3)) == told
    assert reads == []


def test_a_step_names_itself_its_number_what_set_it_off_and_its_price():
    steps = losses(C.default() | C.compaction(2500))
    assert steps and {loss.cause for loss in steps} == {"step"}
    assert [loss.step_number for loss in steps] == list(range(1, len(steps) + 1))
    for loss in steps:
        assert loss.step.startswith("C.compaction(") and "in one note" in loss.reason
        assert loss.threshold and loss.tokens and loss.tokens_before >= loss.tokens
    assert any(loss.microdollars for loss in losses(C.default() | C.compaction(12_000), turns=90))


def test_a_window_that_moves_is_a_selection_and_a_word_is_the_spec():
    assert {loss.cause for loss in losses(C.window(n=3))} == {"selection"}
    compacted = losses(C.default() | C.compact("stale", stale_after=2))
    assert {(loss.cause, loss.step) for loss in compacted} <= {
        ("spec", "C.compact(strategy='stale', stale_after=2)")
    }


def test_a_text_of_the_state_and_tools_are_told_apart():
    session = Session("s")
    session.user("one")
    compiler = SpecCompiler(C.default() + C.from_state("goal"), memo=memo_of(session.log))
    session.update({"goal": "find the order"})
    now = target("gpt-5", tools=(Tool(name="find"),))
    first = compiler.compile(session.snapshot(), now)
    more = target("gpt-5", tools=(Tool(name="find"), Tool(name="send")))
    pack = compiler.compile(session.snapshot(), more, previous=first)
    loss = pack.manifest.prefix.loss
    assert (loss.cause, loss.piece) == ("tools", "tools[1]")
    session.update({"goal": "send the order"})
    loss = compiler.compile(session.snapshot(), now, previous=first).manifest.prefix.loss
    assert loss.cause in {"state", "layout"} and loss.byte > 0


def test_the_first_differing_byte_is_where_the_two_pieces_part():
    before, after = list(packs(C.window(n=3), turns=5))[3:5]
    loss = after[1].manifest.prefix.loss
    key, place = loss.piece.rstrip("]").split("[")
    old, new = (
        msgspec.json.encode(one.request[key][int(place)], order="sorted")
        for one in (before[1], after[1])
    )
    assert old[: loss.byte] == new[: loss.byte] and old[loss.byte] != new[loss.byte]


def test_a_manifest_without_a_loss_is_written_as_before():
    *_, (_, pack) = packs(C.default(), turns=3)
    assert b'"loss"' not in pack.manifest.to_json()
    again = manifest_from_json(pack.manifest.to_json())
    assert again.digested().digest == pack.manifest.digest


def test_a_loss_is_read_back():
    *_, (_, pack) = packs(C.window(n=3), turns=6)
    again = manifest_from_json(pack.manifest.to_json())
    assert isinstance(again.prefix.loss, PrefixLoss) and again == pack.manifest


def test_every_form_of_a_note_has_its_words():
    assert set(MEMBER_WORDS) == {*FORMS, VALUES, NOTHING}


def test_every_exchange_of_a_note_has_what_is_left_of_it():
    *_, (session, pack) = packs(C.default() | C.compaction(2500))
    snapshot = session.snapshot_at(pack.manifest.position, 0)
    members = note_members(pack.manifest, snapshot)
    sent = {block.order for block in pack.manifest.kept if block.order >= 0}
    assert members and not sent & set(members)
    assert sent | set(members) == set(range(snapshot.preamble, snapshot.exchange_count))
    note = next(b for b in pack.request["messages"] if "context_block" in str(b))
    for order, form in members.items():
        if form in {VALUES, "whole"} and order > 1:
            assert f"AX-{order // 2}" in str(note)
    assert note_members(next(packs(C.default()))[1].manifest, snapshot) == {}


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"])
@pytest.mark.parametrize("format", [None, "openai-responses", "text"])
def test_layers_and_what_is_fixed_sum_to_the_tokens(model, format):
    spec = C.from_state("goal") + C.default() | C.compact(min_tokens=20) | C.compaction(3000)
    for session, pack in packs(spec, model=model, turns=14, format=format):
        session.update({"goal": "the order"})
        manifest: Manifest = pack.manifest
        assert manifest.fixed_tokens + sum(manifest.layer_tokens.values()) == manifest.tokens
        assert sum(block.tokens for block in manifest.kept) == sum(manifest.layer_tokens.values())
