"""Room that a limit's stages left is used again, and looked for no longer than it takes."""

import json

from contextwright import C, Session, compile
from contextwright.compiler import refill


def test_a_result_that_says_no_more_in_more_words_is_not_shortened_again_and_again(monkeypatch):
    session = Session("long")
    session.user("Go on.")
    session.call("list", {}, id="c1")
    rows = [{"number": n, "name": "x" * 20} for n in range(3000)]
    session.result("c1", json.dumps(rows))
    tries, shortened = list[int](), refill._shortened
    monkeypatch.setattr(
        refill,
        "_shortened",
        lambda block, most, inputs: tries.append(most) or shortened(block, most, inputs),
    )
    for limit in (9_000, 15_000, 18_000):
        tries.clear()
        pack = compile(session, C.default() | C.budget(limit), model="gpt-5")
        assert 0 < pack.tokens <= limit
        assert len(tries) < 12, tries
