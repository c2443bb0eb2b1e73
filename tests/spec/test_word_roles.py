"""Words of a third party that declare a role work without a change elsewhere."""

from typing import ClassVar

import msgspec

from contextwright import C, Engine, Session, compile
from contextwright.check import check
from contextwright.session.event import Tool
from contextwright.spec import (
    ConversationWindow,
    Gives,
    Guard,
    Kind,
    ToolScope,
    Traits,
    Verb,
    Writer,
)


class Hush(Guard, frozen=True, kw_only=True):
    """Keeps one name out of every request."""

    name: str

    @property
    def covers(self):
        return ("email",)

    def cleaned(self, text, ports=None):
        return text.replace(self.name, "***")

    def apply(self, blocks, inputs):
        return tuple(
            msgspec.structs.replace(b, text=self.cleaned(b.text), why="redacted") for b in blocks
        )


class Count(Writer, frozen=True, kw_only=True):
    """Counts events, before the turn and after it."""

    @property
    def before_turn(self):
        return True

    def written(self):
        return ("events_before",)

    def before(self, snapshot):
        return {"events_before": snapshot.position}

    def after(self, turn):
        yield from ()
        return {"events_after": turn.snapshot.position}


class OnlyRead(ToolScope, frozen=True, kw_only=True):
    """Tools that read."""

    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT

    def bring(self, inputs):
        return ()

    def scope(self, snapshot):
        return frozenset({"read"})


class Newest(ConversationWindow, frozen=True, kw_only=True):
    """The newest three turns, under a name of its own."""

    kind: ClassVar[Kind] = Kind.REFINER
    verb: ClassVar[Verb] = Verb.SELECT

    @property
    def traits(self):
        return Traits(gives=Gives.ALWAYS, bounded=True, turns=3)

    def start(self, snapshot):
        return C.window(3).start(snapshot)

    def bring(self, inputs):
        return C.window(3).bring(inputs)

    def apply(self, blocks, inputs):
        return C.window(3).apply(blocks, inputs)


def session():
    made = Session("s", state={"who": "ask Ann first"}, tools=[Tool(name="read"), Tool(name="rm")])
    for turn in range(5):
        made.user(f"question {turn}")
        made.assistant(f"answer {turn}")
    made.user("and now?")
    return made


def test_a_guard_of_ones_own_runs_on_every_block_and_cleans_what_models_read():
    spec = C.default() + C.from_state("who") | C.budget(2000) | Hush(name="Ann")
    body = compile(session(), spec, model="gpt-5").body.decode()
    assert "Ann" not in body
    assert "***" in body
    step = check(C.default() | Hush(name="Ann")).agents[0]
    assert step.guards == (repr(Hush(name="Ann")),)


def test_a_writer_of_ones_own_writes_before_the_turn_and_after_it():
    made = session()
    engine = Engine(C.default() + Count(), "gpt-5")
    engine.compile(made)
    assert made.state["events_before"] == 11
    made.assistant("done")
    engine.record(made)
    assert made.state["events_after"] == 12
    # the checker knows that the key is there when the agent sees its context
    spec = (C.window(1) + C.from_state("events_before")) + Count()
    assert [one.code for one in check(spec).findings] == []


def test_a_scope_of_tools_of_ones_own_limits_what_is_sent():
    pack = compile(session(), C.default() + OnlyRead(), model="gpt-5")
    assert [tool["function"]["name"] for tool in pack.request["tools"]] == ["read"]


def test_traits_are_what_the_compiler_and_the_checker_go_by():
    spec = Newest() + C.select(scope="before_window")
    ids = [block.id for block in compile(session(), spec, model="gpt-5").manifest.kept]
    assert ids == [f"e{n}" for n in range(11)]
    assert check(Newest()).findings == ()
    codes = [one.code for one in check(Newest().or_else(C.default())).findings]
    assert "unreachable" in codes
    codes = [one.code for one in check(Newest() | C.fresh(max_age=9)).findings]
    assert codes == ["no-effect"]
