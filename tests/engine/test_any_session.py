"""Sessions of all that agents do, under any words: calls side by side, results that come late or
say the same again, files, logs and tables, reasoning, several agents; loaded again in between. An
engine that goes on sends what a replay builds, and writes the same of it."""

import json
import random

import pytest
from msgspec.structs import replace
from tests.engine.test_any_spec import FORMATS, drawn_spec
from tests.parameters import few

from contextwright import C, Engine, Session
from contextwright.compiler.replay_pack import replay
from contextwright.errors import ContextwrightError
from contextwright.session.event import Text, Thinking, ToolCall
from contextwright.testing import target_for
from contextwright.testing.rule_sessions import WORD_STATE, prose, rows
from contextwright.testing.rules import stored_again


class Agents:
    """What happens to a session, one thing after the other."""

    def __init__(self, dice):
        self.dice, self.count, self.late = dice, 0, []
        self.long, self.names = dice.choice((1, 3, 10)), dice.choice(((), ("coder", "critic")))

    def go_on(self, session):
        """One thing more."""
        dice, mark, self.count = self.dice, self.count, self.count + 1
        author = {"author": dice.choice(self.names)} if self.names else {}
        if self.late and dice.random() < 0.5:
            session.result(*self.late.pop(0))
            return
        kind = dice.random()
        if kind < 0.25:
            session.user(f"U{mark} {prose(f'ask{mark}', 1)}", pinned=dice.random() < 0.08)
        elif kind < 0.45:
            session.assistant(prose(f"A{mark}", dice.randint(1, 3 * self.long)), **author)
        elif kind < 0.5:
            session.add(
                "assistant", Thinking(text="Well."), Text(text=prose(f"A{mark}", 1)), **author
            )
        else:
            self._call(session, mark, author)

    def _call(self, session, mark, author):
        dice = self.dice
        calls = [
            ToolCall(
                id=f"c{mark}-{n}",
                name=dice.choice(("find", "open")),
                arguments=self._arguments(mark),
            )
            for n in range(dice.choice((1, 1, 1, 2, 3)))
        ]
        session.add("assistant", *calls, **author)
        for call in calls:
            if dice.random() < 0.05:
                self.late.append((call.id, self._result(mark)))
            else:
                session.result(call.id, self._result(mark), error=dice.random() < 0.12)

    def _arguments(self, mark):
        wanted = {"path": f"/src/{self.dice.randint(0, 9)}.py"}
        if self.dice.random() < 0.1:
            wanted["content"] = prose(f"W{mark}", 4 * self.long)
        return json.dumps(wanted)

    def _result(self, mark):
        lines = range(1, self.dice.randint(2, 10 * self.long))
        forms = (
            lambda: rows(f"R{mark}", len(lines)),
            lambda: "\n".join(f"{n}\tdef f{mark}_{n}(x): return {n}" for n in lines),
            lambda: "\n".join(f"2026-01-02 INFO R{mark} step {n} done in {n} ms" for n in lines),
            lambda: "| a | b |\n| - | - |\n" + "\n".join(f"| R{mark}-{n} | {n} |" for n in lines),
            lambda: "same result as ever",
        )
        return self.dice.choice(forms)()


@pytest.mark.parametrize("seed", few(range(120), 12))
def test_an_engine_that_goes_on_sends_what_a_replay_builds(seed):
    dice = random.Random(seed)
    goes_on_as_replayed(drawn_spec(dice), target_for(dice.choice(FORMATS)), dice)


def test_a_receipt_has_both_conversations_that_the_same_words_were_read_for():
    """A summary for a step that was not enough, and one for a part of that: what was new since the
    answers before them is the same."""
    dice = random.Random(43)
    spec = drawn_spec(dice) | C.redact([r"[A-Z]\d+"])
    goes_on_as_replayed(spec, target_for(dice.choice(FORMATS)), dice)


def goes_on_as_replayed(spec, target, dice):
    """Play a session, and hold its packs against replays of them."""
    engine = Engine(spec, target=target, suspend=False)
    session, agents = Session("any", state=WORD_STATE), Agents(dice)
    session.user(f"U {prose('task', dice.randint(1, 6))}")
    for place in range(50):
        agents.go_on(session)
        if dice.random() < 0.03:
            session, engine = stored_again(session), Engine(spec, target=target, suspend=False)
        try:
            manifest = (pack := engine.compile(session)).manifest
        except ContextwrightError:
            continue
        if place % 3 == 0:
            again = replay(manifest, session)
            own = replace(manifest, prefix=None, folds=again.manifest.folds)
            assert (again.body, again.manifest) == (pack.body, own.digested())
