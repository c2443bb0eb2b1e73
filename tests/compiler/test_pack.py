"""What a pack and its manifest say of themselves where they are printed."""

from contextwright import C, Session, compile


def test_a_pack_that_is_printed_is_a_line_without_what_was_said():
    session = Session("s")
    session.user("my number is 4111 1111 1111 1111")
    pack = compile(session, C.budget(max_tokens=3000), model="gpt-5")
    line = f"{pack.manifest.pack_id}: gpt-5, openai-chat, {pack.tokens} of 3,000 tokens, 1 block"
    assert repr(pack) == f"<Pack {line}>"
    assert repr(pack.manifest) == f"<Manifest {line}>"
