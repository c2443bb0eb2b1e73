"""Words that look at a block alone, and say so where that does not do: nobody can tell how far a
compile looked."""

import pytest
from tests.work_counts import exchanges_read

from contextwright import C, Session, compile
from contextwright.compiler import horizon
from contextwright.compiler.plan import plan
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.spec.expr import Expr
from contextwright.spec.inputs import Inputs, Memo
from contextwright.testing import target_for

SPECS = (
    C.view() | C.budget(500),
    C.view("conversation") | C.budget(500),
    C.default() | C.view("conversation") | C.truncate(9) | C.budget(500),
    C.summary_constraint(0.1, 0.3, window=4_000) | C.budget(500),
    C.default() | C.summary_constraint(0.5, 0.2, window=6_000) | C.budget(500),
)


def talk(turns: int) -> Session:
    session = Session("talk")
    session.add("system", "Be brief.")
    for n in range(turns):
        session.user(f"Where is order {n}?", pinned=n == 3)
        session.call("find", f'{{"order": {n}}}', id=f"c{n}")
        session.result(f"c{n}", f"order {n} is on its way " * 4, error=n == 5)
        session.add("assistant", f"Order {n} is on its way, in house {n}. " * 3, author="critic")
        session.assistant(f"Order {n} is on its way.")
    return session


def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    def unbounded(view: str, inputs: Inputs) -> bool:
        return False

    monkeypatch.setattr(horizon, "is_bounded", unbounded)


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_looking_back_as_far_as_needed_gives_what_looking_at_all_gives(
    spec: Expr, monkeypatch: pytest.MonkeyPatch
):
    assert plan(spec).view == "block"
    target, session, memo = target_for("openai-chat"), talk(60), Memo()
    SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
    session.user("And now?")
    grown = SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
    everything(monkeypatch)
    whole = SpecCompiler(spec).compile(session.snapshot(), target)
    assert (grown.body, grown.manifest.to_json()) == (whole.body, whole.manifest.to_json())


@pytest.mark.parametrize("spec", SPECS[:4], ids=repr)
def test_a_turn_reads_as_many_exchanges_in_a_long_session_as_in_a_short_one(
    spec: Expr, monkeypatch: pytest.MonkeyPatch
):
    def read(turns: int) -> int:
        session = talk(turns)
        compile(session, spec, model="gpt-5")
        session.user("And now?")
        return exchanges_read(lambda: compile(session, spec, model="gpt-5"))

    assert read(300) <= read(100) * 1.2


def test_a_word_that_was_given_all_is_sure(monkeypatch: pytest.MonkeyPatch):
    starts: list[int] = []
    unsure = Inputs.unsure

    def counted(self: Inputs, word: str) -> None:
        starts.append(self.start)
        unsure(self, word)

    monkeypatch.setattr(Inputs, "unsure", counted)
    spec = C.summary_constraint(0.9, 0.2, window=1_000_000) | C.budget(500)
    compile(talk(60), spec, model="gpt-5")
    assert len(starts) > 1
    assert min(starts) == starts[-1]
