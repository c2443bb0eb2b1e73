"""`C.layer` and `C.tools`: where a text counts, and what may be called."""

import pytest

from contextwright import C, compile
from contextwright.session import Tool
from contextwright.testing import session_of, target_for


@pytest.mark.parametrize("name", ["task", "evidence", "memory"])
def test_a_text_counts_as_the_layer_that_it_is_put_in(name):
    session = session_of("u: hi", state={"intent": "billing"})
    spec = C.default() + (C.from_state("intent") | C.layer(name))
    pack = compile(session, spec, target=target_for("openai-chat"))
    assert [b.layer for b in pack.manifest.kept if b.id.endswith("state:intent")] == [name]


@pytest.mark.parametrize(
    ("spec", "sent"),
    [
        (C.tools("read"), ["read"]),
        (C.tools("read", "search"), ["read", "search"]),
        (C.tools(), ["read", "search", "delete"]),
    ],
)
def test_only_the_tools_in_scope_are_sent(spec, sent):
    session = session_of("u: hi")
    session.tools = tuple(Tool(name=name) for name in ("read", "search", "delete"))
    pack = compile(session, C.default() + spec, target=target_for("openai-chat"))
    assert sorted(t["function"]["name"] for t in pack.request["tools"]) == sorted(sent)


REMINDER = "<system-reminder>The list is empty.</system-reminder>"


def test_what_a_harness_alone_says_stays_in_the_conversation():
    session = session_of("u: Mend it. | a: Done. | u: And the next? | a: Done.")
    session.user(REMINDER)
    session.user("Go on.")
    pack = compile(session, C.default() | C.layer("evidence"), target=target_for("openai-chat"))
    assert {"role": "user", "content": REMINDER} in pack.request["messages"]
    assert not any("undone" in note for note in pack.manifest.notes)


def test_words_beside_which_a_harness_speaks_are_sent_as_a_layer():
    session = session_of("u: Mend it. | a: Done.")
    session.user(f"{REMINDER}\n\nAnd the next?")
    session.assistant("Done.")
    session.user("Go on.")
    spec = C.window(n=1) + (C.window(n=3) | C.layer("memory"))
    pack = compile(session, spec, target=target_for("openai-chat"))
    assert [block.layer for block in pack.manifest.kept if block.id == "e2"] == ["memory"]
    assert "And the next?" in str(pack.request) and REMINDER not in str(pack.request)
    assert not any("undone" in note for note in pack.manifest.notes)
