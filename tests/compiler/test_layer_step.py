"""A limit by layers goes down in steps, and a cache reads a request part by part."""

import json

import pytest

from contextwright import C, compile
from contextwright.compiler.prefix import shared_prefix
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.session.session import Session
from contextwright.spec.inputs import Memo
from contextwright.testing import target_for

LIMIT = 1_500


def sent(spec, turns=60):
    """The packs of a talk that grows, each turn's."""
    session, memo, target = Session("talk"), Memo(), target_for("openai-chat")
    session.add("system", "Be brief.")
    for n in range(turns):
        session.user(f"What of order {n}?")
        yield SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
        session.assistant(f"Order {n} is on its way, with page {n} of the list. " * 4)


def moves(packs):
    """How many requests begin otherwise than the one before, but for its end."""
    found = [pack.request["messages"] for pack in packs]
    return sum(one[:3] != other[:3] for one, other in zip(found, found[1:], strict=False))


def test_a_conversation_over_its_share_goes_down_in_steps():
    stepped = list(sent(C.default() | C.allocate(max_tokens=LIMIT)))
    filled = list(sent(C.default() | C.allocate(max_tokens=LIMIT, steps=False)))
    assert 0 < moves(stepped) * 4 < moves(filled)
    assert stepped[-1].manifest.limit_steps > 1
    assert filled[-1].manifest.limit_steps == 0
    assert all(pack.tokens <= LIMIT for pack in stepped)


def test_what_is_told_of_turns_that_left_stays_until_the_next_step():
    packs = list(sent(C.default() | C.allocate(max_tokens=LIMIT)))
    steps = {pack.manifest.limit_steps for pack in packs}
    texts = {
        block.id for pack in packs for block in pack.manifest.kept if block.source == "summary:tail"
    }
    assert 0 < len(texts) <= len(steps)


def test_a_conversation_within_its_share_is_not_touched():
    session = Session("talk", state={"goal": "Find it. " * 400})
    for n in range(4):
        session.user(f"What of order {n}?")
        session.assistant("It is on its way.")
    session.user("And now?")
    spec = C.default() + (C.from_state("goal") | C.layer("evidence")) | C.allocate(max_tokens=LIMIT)
    pack = compile(session, spec, model="gpt-5")
    assert not pack.manifest.limit_steps
    assert pack.manifest.changes


def message(*texts, marked=()):
    content = [
        {"type": "text", "text": text, **({"cache_control": {"type": "ephemeral"}} if at in marked
         else {})}
        for at, text in enumerate(texts)
    ]  # fmt: skip
    return {"role": "user", "content": content}


@pytest.mark.parametrize(("marked", "is_read"), [((0,), True), ((1,), False)])
def test_a_message_of_which_a_part_is_new_is_read_up_to_it(marked, is_read):
    target = target_for("anthropic")
    task = "Mend the orders. " * 2_000
    before = {"model": target.model, "messages": [message(task, "at the end", marked=marked)]}
    now = {"model": target.model, "messages": [message(task, "a note", marked=(1,))]}
    prefix = shared_prefix(json.dumps(before).encode(), now, target)
    whole = shared_prefix(before, before, target)
    assert 0 < prefix.tokens < whole.tokens
    assert prefix.read == (prefix.tokens if is_read else 0)
    assert prefix.first_difference == "messages[0]"
