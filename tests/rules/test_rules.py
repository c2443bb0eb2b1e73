"""Design §5, as sentences that hold for any session, any spec, every provider."""

import copy

import msgspec
import pytest
from hypothesis import given, settings

from contextwright import C, compile
from contextwright.blocks.block import Block
from contextwright.compiler import replay
from contextwright.compiler.budget_state import Hold, hold
from contextwright.errors import BudgetError, StepError
from contextwright.render.providers import provider_named
from contextwright.session import Session
from contextwright.stores import Refs
from contextwright.testing import FORMATS, assert_valid, sessions, specs, target_for

formats = pytest.mark.parametrize("format", FORMATS)
DYNAMIC_SOURCES = ("state:", "notes:", "template", "warning", "event:")


def packed(session, spec, format="openai-chat", **options):
    """The pack, or None where what must stay is too large."""
    try:
        return compile(session, spec, target=target_for(format), **options)
    except BudgetError as error:
        assert "tokens" in error.what
        return None
    except StepError as error:
        assert "split the step" in error.what or "no step" in error.what
        return None


@formats
@settings(max_examples=80)
@given(sessions(), specs())
def test_the_request_breaks_no_rule_and_no_budget(format, session, spec):
    """§5.1, §5.5, §5.9: exchanges whole, recounted within budget, provider's rules kept."""
    pack = packed(session, spec, format)
    if pack is not None:
        assert_valid(pack, target_for(format))


@formats
@settings(max_examples=40)
@given(sessions(), specs())
def test_the_cost_of_blocks_is_never_counted_too_low(format, session, spec):
    """§5.5: the sum by which a budget decides bounds the request that is sent."""
    pack = packed(session, spec, format)
    if pack is not None:
        kept = sum(block.tokens for block in pack.manifest.kept)
        assert pack.tokens <= pack.manifest.fixed_tokens + kept


@settings(max_examples=100)
@given(sessions(), specs())
def test_what_must_stay_stays(session, spec):
    """§5.2: the instruction, pinned blocks that were selected, tier 1, the newest user message."""
    pack = packed(session, spec)
    if pack is None:
        return
    kept = {id for block in pack.manifest.kept for id in block.lineage}
    body = pack.body.decode()
    log = session.log
    if log[0].role == "system" and log[0].text.strip() and "redact" not in repr(spec):
        assert msgspec.json.encode(log[0].text.strip()[:10])[1:-1].decode() in body
    newest = max(p for p, event in enumerate(log) if event.role == "user")
    assert log[newest].id in kept
    dropped = [c for c in pack.manifest.changes if c.action == "dropped"]
    for change in dropped:
        if change.step.startswith(("budget", "fit", "window of the model")):
            position = log.position_of(change.id)
            assert position is None or not log[position].pinned


@settings(max_examples=100)
@given(sessions(), specs())
def test_the_users_words_are_never_rewritten(session, spec):
    """§5.3: a user's text is in the request as it was said, or not at all."""
    if "redact" in repr(spec):
        return
    pack = packed(session, spec)
    if pack is None:
        return
    kept = {block.id for block in pack.manifest.kept if block.layer == "conversation"}
    sent = []
    for message in pack.request["messages"]:
        if message["role"] == "user":
            content = message["content"]
            sent += [content] if isinstance(content, str) else [p.get("text", "") for p in content]
    for event in session.log:
        if event.role == "user" and event.id in kept and event.text.strip():
            texts = [part.text for part in event.parts if getattr(part, "text", "").strip()]
            # a pack says the request's words at its end
            assert all(
                any(one == text or one.endswith(f"\n{text}") for one in sent) for text in texts
            )


@settings(max_examples=100)
@given(sessions(), specs())
def test_every_exchange_is_kept_changed_or_in_a_range(session, spec):
    """§5.6: nothing is left out in silence."""
    pack = packed(session, spec)
    if pack is None:
        return
    snapshot = session.snapshot()
    named = {block.id for block in pack.manifest.kept} | {c.id for c in pack.manifest.changes}
    for change in pack.manifest.changes:
        if change.action == "summarized":
            named.update(change.lineage)
    for gap in pack.manifest.left_out:
        first = snapshot.log.exchange_index(snapshot.log.position_of(gap.first))
        for exchange in snapshot.exchanges(first, first + gap.exchanges):
            named.add(exchange.first.id)
    for exchange in snapshot.exchanges(snapshot.preamble):
        assert exchange.first.id in named


@settings(max_examples=60)
@given(sessions(), specs())
def test_every_change_names_its_tokens_and_a_ref_that_gives_the_original(session, spec):
    """§5.6, §5.12: shortened and dropped blocks expand to what was there."""
    pack = packed(session, spec)
    if pack is None:
        return
    refs = Refs(session.snapshot())
    for change in pack.manifest.changes:
        assert change.reason
        assert change.layer
        assert change.tokens_before >= 0
        if change.ref:
            assert isinstance(refs.read(change.ref), str)
        position = session.log.position_of(change.id)
        if position is not None:
            assert change.ref == f"event://{change.id}"


@settings(max_examples=100)
@given(sessions(), specs())
def test_shortening_never_makes_a_block_dearer(session, spec):
    """§5.11: a compaction that would grow the request is not made."""
    pack = packed(session, spec)
    for change in pack.manifest.changes if pack is not None else ():
        if change.action in {"compacted", "truncated"}:
            assert change.tokens_after <= change.tokens_before


@formats
@settings(max_examples=40)
@given(sessions(), specs())
def test_the_same_inputs_give_the_same_bytes(format, session, spec):
    """§5.8: with and without what was remembered, of any format, and out of a stored session."""
    for other in FORMATS:
        packed(session, spec, other)
    pack = packed(session, spec, format)
    if pack is None:
        return
    again = Session(session.id, session.log, tools=session.tools)
    for change in session.changes:
        again.restore(change)
    assert compile(again, spec, target=target_for(format)).body == pack.body
    assert replay(pack.manifest, session).body == pack.body


@settings(max_examples=60)
@given(sessions(), specs())
def test_compiling_changes_nothing_that_was_given(session, spec):
    """§5.10: session, state and events are as before."""
    before = (session.snapshot().digest, copy.deepcopy(dict(session.state)), repr(spec))
    packed(session, spec)
    assert (session.snapshot().digest, dict(session.state), repr(spec)) == before


@settings(max_examples=60)
@given(sessions(), specs())
def test_changing_a_request_does_not_reach_the_next_one(session, spec):
    pack = packed(session, spec)
    if pack is not None:
        pack.request["messages"].clear()
        assert packed(session, spec).body == pack.body


@settings(max_examples=60)
@given(sessions())
def test_the_running_turn_is_whole_while_there_is_room(session):
    """§5.4: no step of a spec shortens the trace of the running invocation."""
    spec = C.default() | C.compact(min_tokens=1, max_tokens=1) | C.dedup("structural")
    pack = compile(session, spec, target=target_for("openai-chat"))
    changed = {change.id for change in pack.manifest.changes if change.step != "orphans"}
    snapshot = session.snapshot()
    running = {e.first.id for e in snapshot.last_turns(1) if e.index >= snapshot.preamble}
    assert not running & changed


@settings(max_examples=60)
@given(sessions())
def test_open_failures_are_on_the_floor(session):
    """§5.2: a failed or interrupted execution that was not made good is never dropped."""
    spec = C.default() | C.budget(700)
    pack = packed(session, spec)
    if pack is None:
        return
    snapshot = session.snapshot()
    kept = {block.id for block in pack.manifest.kept}
    for exchange in snapshot.exchanges():
        if exchange.failed and snapshot.unresolved(exchange):
            assert exchange.first.id in kept


def test_tier_one_over_the_budget_is_an_error_that_names_it():
    session = Session(state={"policy": "never refund " * 400})
    session.user("hi")
    with pytest.raises(BudgetError, match=r"state:policy"):
        compile(session, C.from_state("policy") | C.priority(1) | C.budget(300), model="gpt-5")


def test_holds_are_ordered():
    session = Session()
    session.user("first task")
    session.assistant("done")
    session.user("now this")
    snapshot = session.snapshot()
    inputs = type("Inputs", (), {"snapshot": snapshot, "unresolved": lambda self, b: False})()
    blocks = [
        Block(id=e.first.id, source="x", order=e.index, turn=e.turn, messages=_messages(e))
        for e in snapshot.exchanges()
    ]
    assert [hold(block, inputs) for block in blocks] == [Hold.RUNNING, Hold.NONE, Hold.FLOOR]


def _messages(exchange):
    from contextwright.blocks import block_of

    return block_of(exchange).messages


@formats
def test_renderers_are_stateless(format):
    assert provider_named(format).renderer is provider_named(format).renderer
