"""An exchange is counted once, whatever brings it and however often it is asked for."""

import pytest
from msgspec.structs import replace
from tests.compiler.test_fold import work

from contextwright import C, Engine, PackBuilder
from contextwright.blocks.block import Block, Message
from contextwright.compiler.block_cost import Presentation, costs_of
from contextwright.render.event_cost import ChatCost
from contextwright.session.event import Event, Text
from contextwright.spec.inputs import Memo
from contextwright.testing import target_for
from contextwright.testing.rule_sessions import WORD_STATE

SPECS = (PackBuilder(max_tokens=2_000).spec, C.rolling(3) | C.budget(2_000), C.compaction(2_000))


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_a_first_compile_counts_each_exchange_once(spec, monkeypatch):
    counted, told, cost = [], set(), ChatCost.of_events

    def counting(self, events):
        if all(isinstance(one, Message) and one.event_id and one.whole for one in events):
            counted.append(events[0].event_id)
        elif all(isinstance(one, Event) for one in events):
            told.add(events[0].id)  # for sums over the log: no block was made of it
        return cost(self, events)

    monkeypatch.setattr(ChatCost, "of_events", counting)
    session = work(120, 1)
    session.update(WORD_STATE)
    Engine(spec, "gpt-5", format="openai-chat", window=128_000).compile(session)
    assert len(told.union(counted)) > session.snapshot().exchange_count // 2
    # again only where a word gave one another tier or layer
    assert len(counted) <= len(set(counted)) + 6


@pytest.mark.parametrize("format", ["openai-chat", "anthropic", "text"])
def test_a_block_costs_what_it_costs_alone(format):
    """As one that is counted first, and as one of others that say the same."""
    target = target_for(format)
    block = Block(id="e1", source="history", messages=(Message("user", (Text(text="Go."),)),))
    others = [
        replace(block, source="a source with a long name, as it may be"),
        replace(block, score=12),
        replace(block, source="select:before_window", score=3),
        block,
    ]
    shown = Presentation("", framed=True, refs=True)
    together = costs_of(Memo(), target.provider.renderer, target, shown).block
    for one in others:
        alone = target.provider.renderer.cost(one, target)
        assert together(one) == alone
