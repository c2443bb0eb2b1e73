"""A pack lets go of a layer in one pass: twice as much of a conversation is twice as much work."""

from collections.abc import Callable, Iterator

import msgspec
import pytest

from contextwright import C, Session
from contextwright.blocks.block import Block
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.spec.inputs import Inputs, Memo
from contextwright.tasks import layers
from contextwright.tasks.left_turns import LeftTurns
from contextwright.testing import target_for

SPEC = C.default() | C.allocate(max_tokens=1_000, steps=False)


def talk(exchanges: int) -> Session:
    session = Session(f"talk{exchanges}")
    for n in range(exchanges):
        session.user(f"Where is order {n}, and who has it?")
        session.assistant(f"Order {n} is in house {n % 7}; Ada has it.")
    session.user("And now?")
    return session


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often what a block costs was asked for, since it was made: its first element."""
    counted, stages = [0], layers.layer_stages

    def counting(
        inputs: Inputs,
        caps: layers.Caps,
        over: layers.Over,
        drop: Callable[[Block], bool],
        turns: LeftTurns,
    ) -> Iterator[layers.LayerStage]:
        cost = inputs.cost

        def counted_cost(block: Block) -> int:
            counted[0] += 1
            return cost(block)

        return stages(msgspec.structs.replace(inputs, cost=counted_cost), caps, over, drop, turns)

    monkeypatch.setattr("contextwright.compiler.stages.layer_stages", counting)
    return counted


def test_dropping_turns_asks_once_for_what_each_costs(asked: list[int]):
    def work(exchanges: int) -> int:
        asked[0] = 0
        compiler = SpecCompiler(SPEC, memo=Memo())
        compiler.compile(talk(exchanges).snapshot(), target_for("openai-chat"))
        return asked[0]

    short = work(50)
    assert short
    assert work(200) < 8 * short
