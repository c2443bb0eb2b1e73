"""What a pack and its manifest say of themselves where they are printed."""

from contextwright import C, Session, compile
from contextwright.compiler.pack import Pack, encoded, known_request
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
