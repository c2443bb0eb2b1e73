"""A limit declares what it does: its limit, its order and its stages. Also one of a third party."""

from typing import ClassVar

import msgspec
import pytest

from contextwright import C, Engine, Session, compile
from contextwright.check import check
from contextwright.errors import BudgetError, SpecError
from contextwright.render.openai_chat import OpenAIChatRenderer
from contextwright.session.event import Tool
from contextwright.spec import ATOMS, Atom, Kind, Terminal, Verb
from contextwright.spec.terminal import (
    LAST_RESORT,
    Drop,
    Order,
    Refuse,
    Run,
    ShrinkLayers,
    Stage,
)
from contextwright.testing import session_of


class Ceiling(Terminal, frozen=True, kw_only=True):
    """A limit of a package of its own: a share of what the model leaves, the salient stays."""

    permille: int

    def limit(self, window: int) -> int:
        return window * self.permille // 1000

    @property
    def label(self) -> str:
        return "ceiling"

    @property
    def order(self) -> Order:
        return "tier"

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Run(step=C.dedup("structural"), title="dedup"), Drop(), *LAST_RESORT)


class Strict(Terminal, frozen=True, kw_only=True):
    """Refuses what is too long."""

    def limit(self, window: int) -> int:
        return 40

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Refuse(reason="nothing may go"),)


class Unnamed(Terminal, frozen=True, kw_only=True):
    """Names a stage that nobody knows."""

    def limit(self, window: int) -> int:
        return 40

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(),)


class Unshared(Unnamed, frozen=True, kw_only=True):
    """Shrinks layers, and does not say how the window is shared out."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (ShrinkLayers(),)


class Untyped(Atom, frozen=True, kw_only=True):
    """Says that it is a terminal, and not what it limits."""

    kind: ClassVar[Kind] = Kind.TERMINAL
    verb: ClassVar[Verb] = Verb.BUDGET


def long_session(turns=30):
    session = Session("s")
    for turn in range(turns):
        session.user(f"question {turn} " + "word " * 40)
        session.assistant(f"answer {turn} " + "thing " * 60)
    session.user("and now?")
    return session


def test_a_terminal_of_ones_own_limits_a_request():
    session = long_session()
    whole = compile(session, C.default(), model="gpt-5")
    spec = (C.default() | C.priority(3)) + (C.window(4) | C.priority(2)) | Ceiling(permille=5)
    pack = compile(session, spec, model="gpt-5")
    limit = Ceiling(permille=5).limit(whole.manifest.budget)
    assert whole.tokens > limit >= pack.tokens
    assert pack.manifest.budget == limit
    assert pack.manifest.overflow == "ceiling"
    steps = {change.step for change in pack.manifest.changes}
    assert steps == {"ceiling"}
    # its order is by tier: what is important stays beside what is supplementary
    assert {block.tier for block in pack.manifest.kept} >= {2}
    assert all(c.id < "e52" for c in pack.manifest.changes if len(c.id) == 3)


def test_its_stages_run_in_their_order_and_stop_when_it_fits():
    session = Session("s")
    for n in range(6):
        session.user(f"look {n}")
        session.call("search", '{"q": "x"}', id=f"c{n}")
        session.result(f"c{n}", "the same long result " * 150)
    session.user("and now?")
    whole = compile(session, C.default(), model="gpt-5")
    enough = whole.tokens * 1000 // whole.manifest.budget
    assert enough >= 1, "the session is long enough for a share of the window"
    pack = compile(session, C.default() | Ceiling(permille=enough), model="gpt-5")
    steps = {change.step for change in pack.manifest.changes}
    assert steps and steps <= {"ceiling: dedup", "ceiling: refill"}


def test_a_stage_may_refuse():
    with pytest.raises(BudgetError, match="and nothing may go"):
        compile(long_session(), C.default() | Strict(), model="gpt-5")


@pytest.mark.parametrize(
    ("terminal", "what"),
    [
        (Unnamed(), "expected a stage of contextwright.spec.terminal"),
        (Unshared(), "expected a terminal with `layers`"),
        (Untyped(), "expected a terminal with a limit and stages"),
    ],
)
def test_a_terminal_that_says_too_little_is_an_error_that_names_it(terminal, what):
    with pytest.raises(SpecError, match="expected") as caught:
        compile(long_session(), C.default() | terminal, model="gpt-5")
    assert caught.value.what.startswith(what)
    assert caught.value.where
    assert caught.value.fix


def test_the_checker_reads_a_terminal_of_ones_own():
    (agent,) = check(C.default() | Ceiling(permille=100), model="gpt-5").agents
    assert agent.budget == Ceiling(permille=100).limit(compile_limit())
    assert agent.overflow == "ceiling"
    assert "(ceiling)" in check(C.default() | Ceiling(permille=100)).text()


def compile_limit():
    return compile(long_session(1), C.default(), model="gpt-5").manifest.budget


TERMINALS = sorted(word for word, atom in ATOMS.items() if issubclass(atom, Terminal))


def test_every_word_of_the_kind_is_a_terminal():
    assert TERMINALS == ["allocate", "budget", "compaction", "fit"]
    assert sorted(w for w, atom in ATOMS.items() if atom.kind is Kind.TERMINAL) == TERMINALS


@pytest.mark.parametrize(
    "terminal",
    [
        C.budget(900),
        C.budget(900, overflow="summarize"),
        C.budget(900, overflow="error"),
        C.fit(900),
        C.fit(900, strategy="strict"),
        C.allocate(),
        C.compaction(),
    ],
    ids=repr,
)
def test_a_terminal_is_a_value_whose_limit_is_within_the_window(terminal):
    assert 0 < terminal.limit(500) <= 500
    assert terminal.label.startswith(terminal.word)
    assert terminal.stages
    for stage in terminal.stages:
        assert hash(stage) == hash(msgspec.structs.replace(stage))


def test_a_request_without_blocks_is_measured_once_while_it_is_the_same(monkeypatch):
    measured = []
    whole = OpenAIChatRenderer.request

    def counted(self, layout, target):
        measured.append(layout)
        return whole(self, layout, target)

    def times(session):
        """How often it is, for a request that is the same as one from scratch."""
        pack, count = engine.compile(session), len(measured)
        fresh = Engine(C.none(), "gpt-5")
        anew = fresh.compile(Session(session.id, session.log, tools=session.tools))
        assert (anew.body, anew.tokens) == (pack.body, pack.tokens)
        measured.clear()
        return count

    monkeypatch.setattr(OpenAIChatRenderer, "request", counted)
    engine, session, counts = Engine(C.none(), "gpt-5"), session_of("s: be kind | u: go"), []
    for step in ("a: one", "u: two", "c: find() | r: 1", "c: find() | r: 2", "c: look() | r: 3"):
        for event in session_of(step).log:
            session.append(msgspec.structs.replace(event, id=f"{step} {event.id}"))
        counts.append(times(session))
    assert counts == [1, 0, 1, 0, 1], "what was called stands in it by name"
    for name in ("find", "look"):
        session.tools = (*session.tools, Tool(name=name, parameters={"type": "object"}))
        assert (times(session), times(session)) == (1, 0)
