"""Every block of a request says whose words it holds, in the manifest."""

import pytest

from contextwright import C, Session, compile
from contextwright.blocks.speaker import SPEAKERS

SPECS = (
    "C.default()",
    "C.default() | C.compact(min_tokens=1, stale_after=1)",
    "C.window(n=2) | C.truncate(max_tokens=20)",
    'C.default() + C.from_state("plan") + C.template("Be brief.")',
)


def conversation():
    session = Session("s")
    session.user("Where is order A-1?")
    session.call("get_order", {"id": "A-1"}, id="c1")
    session.result("c1", "It was shipped on Monday. " * 30)
    session.assistant("On Monday.")
    session.assistant("I looked as well.", author="checker")
    session.user("Thanks.")
    session.update({"plan": "look, then answer"})
    return session


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"])
def test_every_kept_block_says_whose_words_it_holds(spec, model):
    pack = compile(conversation(), eval(spec, {"C": C}), model=model)
    kept = {block.id: block for block in pack.manifest.kept}
    assert {block.trust for block in kept.values()} <= set(SPEAKERS)
    told = {block.tools or block.role or block.source: block.trust for block in kept.values()}
    assert told[("get_order",)] == "tool"
    assert told["user"] == "user"
    for block in kept.values():
        if block.source == "state":
            assert block.trust == "foreign"


@pytest.mark.parametrize(("agent", "trust"), [("", "assistant"), ("helper", "foreign")])
def test_another_agent_is_foreign_to_the_agent_that_is_told(agent, trust):
    session = conversation()
    for one in (agent, "checker", agent):  # one memo, several agents
        pack = compile(session, C.default(), model="gpt-5", agent=one)
        (block,) = [one for one in pack.manifest.kept if one.id == session.log[4].id]
        assert block.trust == ("assistant" if one == "checker" else trust)
