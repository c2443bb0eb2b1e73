"""What a pack and its manifest say of themselves where they are printed."""

import pytest

from contextwright import C, Session, compile, replay
from contextwright.compiler.pack import Pack, encoded, known_request
from contextwright.errors import StepError
from contextwright.memo.owned_tables import Tables
from contextwright.memo.ownership import remembering
from contextwright.testing import target_for


def test_a_pack_that_is_printed_is_a_line_without_what_was_said():
    session = Session("s")
    session.user("my number is 4111 1111 1111 1111")
    pack = compile(session, C.budget(max_tokens=3000), model="gpt-5")
    line = f"{pack.manifest.pack_id}: gpt-5, openai-chat, {pack.tokens} of 3,000 tokens, 1 block"
    assert repr(pack) == f"<Pack {line}>"
    assert repr(pack.manifest) == f"<Manifest {line}>"


def test_what_a_body_was_encoded_from_is_known_of_the_newest_two():
    target, bodies = target_for("openai-chat"), list[bytes]()
    requests = [{"model": "m", "messages": [{"role": "user", "content": text}]} for text in "abc"]
    with remembering(Tables()):
        for request in (requests[0], requests[1], requests[1], requests[2]):
            bodies.append(encoded(request, target, 7))
            if len(bodies) == 3:  # it was made again, which displaces nothing
                assert known_request(Pack(bodies[0], compiled().receipt)).request is requests[0]
        known = [known_request(Pack(body, compiled().receipt)) for body in bodies]
    assert known[0] is None and bodies[1] == bodies[2]
    assert [(one.request, one.tokens, one.target) for one in known[1:]] == [
        (request, 7, target) for request in (requests[1], requests[1], requests[2])
    ]


def compiled() -> Pack:
    """Any pack."""
    session = Session("s")
    session.user("Find it.")
    return compile(session, C.budget(max_tokens=3000), model="gpt-5")


def test_a_step_that_nothing_asks_for_frames_no_pack():
    """What stands behind `or_else` is used where the first gives nothing; without a plan it is
    refused there, and nowhere else."""
    session = Session("s")
    session.user("Find it.")
    for spec in (C.default().or_else(C.step()), C.window(n=1).or_else(C.step() + C.default())):
        limited = spec | C.allocate(max_tokens=3000)
        pack = compile(session, limited, model="gpt-5")
        assert pack.body == compile(session, C.default(), model="gpt-5").body
        assert not pack.manifest.step_id and replay(pack, session).body == pack.body
    with pytest.raises(StepError):
        compile(session, C.notes("none").or_else(C.step()) + C.default(), model="gpt-5")
