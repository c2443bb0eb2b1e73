"""Profiles, injectors and specs are three spellings of the same policies."""

import pytest

from contextwright import C, Session, compile, parse
from contextwright.blocks.block import Blocks
from contextwright.errors import SpecError
from contextwright.recipes.injectors import (
    InjectionOrchestrator,
    Injector,
    error_retention,
    knowledge,
    plan,
    playbook,
    skills,
    system_role,
    todo,
    tool_definitions,
    user_memory,
)
from contextwright.recipes.profiles import (
    BudgetAwareCompiler,
    PolicyDrivenCompiler,
    PragmaticCompiler,
)
from contextwright.session import Tool
from contextwright.spec.expr import Atom
from contextwright.spec.kind import Kind, Verb
from contextwright.testing import target_for


def session_of(turns=6):
    session = Session("s", tools=[Tool(name="search"), Tool(name="delete")])
    session.add("system", "You are a helper.")
    for n in range(turns):
        session.user(f"question {n}")
        session.call("search", f'{{"q": "{n}"}}', id=f"c{n}")
        session.result(
            f"c{n}", f'{{"rows": [{{"id": "P{n}", "text": "{"long " * 140}"}}]}}', error=False
        )
        session.assistant(f"answer {n}")
    session.user("and now?")
    session.update(
        {
            "skills_sql": "Write SQL with care.",
            "playbook": "Ask first.",
            "plan_status": "2 of 5",
            "knowledge": ["likes tea"],
            "evidence": [{"uri": "artifact://a.md", "summary": "a report"}],
            "plan": "Close the case",
            "tools": ["search"],
        }
    )
    session.note("todo", [{"text": "one", "done": True}, {"text": "two"}])
    return session


@pytest.mark.parametrize(
    ("profile", "spec"),
    [
        (PragmaticCompiler(), C.view("reasoning")),
        (PragmaticCompiler(view=C.view("conversation")), C.view("conversation")),
        (BudgetAwareCompiler(), C.view("reasoning") | C.compaction()),
        (BudgetAwareCompiler(compaction=C.fit(900)), C.view("reasoning") | C.fit(900)),
        (PolicyDrivenCompiler(), C.view("reasoning") | C.isolate("boundary") | C.compaction()),
        (
            PolicyDrivenCompiler(
                isolation=C.isolate("masking"), transforms=(C.dedup("structural"), C.compact())
            ),
            C.view("reasoning")
            | C.isolate("masking")
            | C.dedup("structural")
            | C.compact()
            | C.compaction(),
        ),
    ],
)
def test_a_profile_is_its_spec(profile, spec):
    assert profile.spec == spec and parse(repr(profile.spec)) == spec
    session = session_of()
    one = profile.compile(session.snapshot(), target_for("openai-chat"))
    assert one.body == compile(session, spec, target=target_for("openai-chat")).body
    assert one.body == compile(session, profile, target=target_for("openai-chat")).body


WARNED = C.premise() | C.priority(2) | C.phase("runtime") | C.cap(500)


@pytest.mark.parametrize(
    ("spec", "profile", "orchestrator"),
    [
        (
            C.salient(0.55),
            PragmaticCompiler(view=C.salient(0.55)),
            InjectionOrchestrator((), history=C.salient(0.55)),
        ),
        (
            C.sliding(400, recent=100),
            PragmaticCompiler(view=C.sliding(400, recent=100)),
            InjectionOrchestrator((), history=C.sliding(400, recent=100)),
        ),
        (
            C.default() | C.budget(700, overflow="truncate_least_salient"),
            BudgetAwareCompiler(compaction=C.budget(700, overflow="truncate_least_salient")),
            InjectionOrchestrator(
                (),
                history=C.default(),
                limit=C.budget(700, overflow="truncate_least_salient"),
            ),
        ),
        (
            C.default() | C.isolate("transparent") | C.cool(400) | C.compaction(),
            PolicyDrivenCompiler(isolation=C.isolate("transparent"), transforms=(C.cool(400),)),
            InjectionOrchestrator((), history=C.cool(400)),
        ),
        (
            C.default() | C.summary_constraint(window=900),
            PragmaticCompiler(view=C.view("reasoning") | C.summary_constraint(window=900)),
            InjectionOrchestrator((), history=C.summary_constraint(window=900)),
        ),
        (
            C.default() + WARNED,
            PragmaticCompiler(view=C.view("reasoning") + WARNED),
            InjectionOrchestrator(
                (Injector("premise", C.premise(), "runtime"),), history=C.default()
            ),
        ),
        (
            C.decay(full=1, fold=1, spare=0.5),
            PragmaticCompiler(view=C.default() | C.decay(full=1, fold=1, spare=0.5)),
            InjectionOrchestrator((), history=C.decay(full=1, fold=1, spare=0.5)),
        ),
    ],
    ids=["salient", "sliding", "least_salient", "cool", "constraint", "premise", "spare"],
)
def test_the_policies_of_document_004_have_three_spellings(spec, profile, orchestrator):
    session = session_of()
    session.assistant("Batch nine was late, and long " * 40, author="researcher")
    session.assistant("The server did not crash.")
    session.user("Why did the server crash?")
    bodies = {
        compile(session, one, target=target_for("openai-chat")).body
        for one in (spec, profile, orchestrator)
    }
    assert len(bodies) == 1
    assert bodies != {compile(session, C.default(), target=target_for("openai-chat")).body}


def test_the_two_views():
    sent = compile(
        session_of(), PragmaticCompiler(view=C.view("conversation") | C.silent()), model="gpt-5"
    ).request["messages"]
    assert "tool" not in {m["role"] for m in sent} and len(sent) == 14
    assert len(compile(session_of(), PragmaticCompiler(), model="gpt-5").request["messages"]) == 26


INJECTORS = (
    todo(),
    plan(),
    error_retention(),
    playbook(),
    knowledge(),
    user_memory(),
    skills("skills_sql"),
    tool_definitions(),
    system_role("You close cases for {plan_status}."),
)


def test_injectors_stand_in_the_order_of_their_phases():
    orchestrator = InjectionOrchestrator(INJECTORS, history=C.window(n=2))
    pack = compile(session_of(), orchestrator, model="gpt-5")
    messages = pack.request["messages"]
    # what the state holds, memories and reports are no instructions: they stand where the history begins
    front, last = "".join(m["content"] for m in messages[:2]), messages[-1]["content"]
    places = [
        front.index(text)
        for text in ("helper", "You close cases", "Write SQL", "likes tea", "a report", "Ask first")
    ]
    assert places == sorted(places)
    body = "".join(part["text"] for part in last)
    assert (
        body.index("2 of 5") < body.index("and now?") < body.index("Current Goal: Close the case")
    )
    assert [tool["function"]["name"] for tool in pack.request["tools"]] == ["search"]
    classes = [block.cache for block in pack.manifest.kept if block.layer != "conversation"]
    assert set(classes) == {"stable", "session", "dynamic"}


def test_the_order_in_which_injectors_are_given_does_not_matter():
    one = InjectionOrchestrator(INJECTORS).spec
    assert one == InjectionOrchestrator(tuple(reversed(INJECTORS))).spec


def test_an_injector_is_a_capped_term_of_a_spec():
    term = C.from_state("plan_status") | C.priority(2) | C.phase("runtime") | C.cap(300)
    assert plan().spec == term
    mine = Injector("prices", C.from_state("prices"), "user", 60)
    session = session_of()
    session.update({"prices": "pump 900, " * 90})
    pack = compile(session, InjectionOrchestrator((mine,), history=C.window(n=1)), model="gpt-5")
    block = next(block for block in pack.manifest.kept if block.id == "state:prices")
    assert block.tokens <= 60 and block.cache == "session"


def test_two_injectors_of_one_name_are_refused():
    with pytest.raises(SpecError, match="two injectors"):
        InjectionOrchestrator((plan(), plan()))


def test_what_changed_is_in_the_next_request():
    session = session_of()
    orchestrator = InjectionOrchestrator((user_memory(),), history=C.window(n=1))
    assert "likes tea" in compile(session, orchestrator, model="gpt-5").body.decode()
    session.update({"knowledge": ["likes coffee"]})
    assert "likes coffee" in compile(session, orchestrator, model="gpt-5").body.decode()


def test_a_policy_of_ones_own_is_an_atom(monkeypatch):
    from contextwright.spec import ATOMS

    monkeypatch.setitem(ATOMS, "shout", None)

    class Shout(Atom, frozen=True, kw_only=True):
        """A policy of one's own: what agents said, in capitals."""

        word = "shout"
        kind = Kind.TRANSFORM
        verb = Verb.COMPRESS

        def apply(self, blocks: Blocks, inputs) -> Blocks:
            import msgspec

            return tuple(
                msgspec.structs.replace(b, text=b.text.upper()) if b.text else b for b in blocks
            )

    pack = compile(session_of(), C.from_state("playbook") | Shout(), model="gpt-5")
    assert "ASK FIRST." in pack.body.decode()
    assert [c.step for c in pack.manifest.changes] == ["C.shout()"]
