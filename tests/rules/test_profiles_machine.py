"""Random agent runs against every profile and isolation policy, with small windows."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tests.parameters import few

from contextwright import C, Session
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.errors import BudgetError
from contextwright.recipes.injectors import (
    InjectionOrchestrator,
    error_retention,
    plan,
    todo,
    user_memory,
)
from contextwright.recipes.profiles import (
    BudgetAwareCompiler,
    PolicyDrivenCompiler,
    PragmaticCompiler,
)
from contextwright.session import Image, Text, ToolCall
from contextwright.spec.inputs import Memo
from contextwright.stores import Refs
from contextwright.testing import assert_valid, target_for

ROOM = 1500
LIMIT = C.compaction(ROOM)
PROFILES = {
    "pragmatic": PragmaticCompiler().spec | C.budget(ROOM),
    "budget aware": BudgetAwareCompiler(compaction=LIMIT).spec,
    "boundary": PolicyDrivenCompiler(compaction=LIMIT).spec,
    "masking": PolicyDrivenCompiler(isolation=C.isolate("masking"), compaction=LIMIT).spec,
    "transparent": PolicyDrivenCompiler(isolation=C.isolate("transparent"), compaction=LIMIT).spec,
    "pipeline": PolicyDrivenCompiler(
        transforms=(C.dedup("structural"), C.compact("tool_results")), compaction=C.fit(ROOM)
    ).spec,
    "injected": InjectionOrchestrator(
        (user_memory(), plan(), error_retention(), todo()), limit=C.budget(ROOM)
    ).spec,
}
words = st.sampled_from(
    ("ok", "look at /src/a.py again", "漢字 " * 30, "word " * 120, "P-17 costs 900 euros. " * 20)
)
results = st.sampled_from(
    ('{"rows": [{"id": "A1", "n": 1}, {"id": "B2", "n": 2}]}', "line\n" * 200, "fine", "x" * 900)
)


def machine(spec, format):
    class Run(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.session, self.memo, self.count = Session("s"), Memo(), 0
            self.target = target_for(format)
            self.session.add("system", "You are careful.")
            self.session.user("begin")
            self.session.update({"plan_status": "step 1"})
            first = SpecCompiler(spec).compile(self.session.snapshot(), self.target).request
            self.system = str(first.get("system") or first["messages"][0])

        @rule(text=words, pinned=st.booleans())
        def user(self, text, pinned):
            self.session.user(text, pinned=pinned and len(text) < 40)

        @rule(text=words)
        def answer(self, text):
            self.session.assistant(text)

        @rule(text=results, error=st.booleans(), tool=st.sampled_from(("read", "search")))
        def call(self, text, error, tool):
            self.count += 1
            self.session.call(tool, '{"path": "/src/a.py"}', id=f"c{self.count}")
            self.session.result(
                f"c{self.count}", f"Error: {text[:60]}" if error else text, error=error
            )

        @rule(texts=st.lists(results, min_size=2, max_size=3), answered=st.integers(0, 3))
        def parallel(self, texts, answered):
            self.count += 1
            calls = [ToolCall(id=f"p{self.count}-{n}", name="read") for n in range(len(texts))]
            self.session.assistant(Text(text="both"), *calls)
            for call, text in list(zip(calls, texts, strict=True))[:answered]:
                self.session.result(call.id, text)

        @rule()
        def picture(self):
            self.session.user(Text(text="see"), Image(data="aGk=", width=64, height=64))

        @rule()
        def resume(self):
            """Another process goes on: the same events and state, nothing remembered."""
            before, self.memo = self.session, Memo()
            self.session = Session(before.id, list(before.log), state=dict(before.state))

        @rule(done=st.booleans())
        def note(self, done):
            self.session.note("todo", [{"text": "first", "done": done}, {"text": "second"}])

        @invariant()
        def holds(self):
            try:
                pack = SpecCompiler(spec, memo=self.memo).compile(
                    self.session.snapshot(), self.target
                )
            except BudgetError:
                return
            assert pack.tokens <= ROOM
            system = str(pack.request.get("system") or pack.request["messages"][0])
            assert system == self.system, "what is stable stays so"
            assert_valid(pack, self.target)
            again = SpecCompiler(spec, memo=Memo()).compile(self.session.snapshot(), self.target)
            assert again.body == pack.body, "the same, with an empty memo"
            kept = {
                id
                for block in pack.manifest.kept
                for id in block.lineage
                if block.fidelity != "summarized"
            }
            newest = [event for event in self.session.log if event.role == "user"][-1]
            assert newest.id in kept
            assert {event.id for event in self.session.log if event.pinned} <= kept
            refs = Refs(self.session.snapshot())
            for change in pack.manifest.changes:
                if change.ref.startswith("event://"):
                    assert refs.read(change.ref)

    return Run


@pytest.mark.parametrize("name", few(PROFILES, 1))
@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
def test_random_runs_keep_every_rule(name, format):
    run_state_machine_as_test(
        machine(PROFILES[name], format),
        settings=settings(max_examples=12, stateful_step_count=22, deadline=None),
    )
