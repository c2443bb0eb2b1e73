"""Pictures and files of a framework's own messages: what a spec redacts goes from their names and
texts, and the file itself stays, in a user's message and in a tool's result."""

import pytest
from tests.adapters.framework_files import (
    ADDRESS,
    CLEAN,
    KEY,
    MADE,
    TEXT,
    agno,
    based,
    pydantic_ai,
)

from contextwright import C, Context
from contextwright.adapters.message_mapping import MappedRequest


@pytest.fixture(params=MADE)
def framework(request):
    pytest.importorskip(request.param)
    return MADE[request.param]()


@pytest.fixture(params=["asks", "answers"])
def sent(request, framework):
    """What is read of a user's message, or of a result, that holds these items."""

    def sent(*items):
        messages = getattr(framework, request.param)(*items)
        asked = MappedRequest(framework.mapping, messages, model="gpt-5")
        compiled = Context(C.default() | C.redact(["secrets"]), model="gpt-5")(asked.body)
        return framework.said(asked.messages_of(compiled)[-1])

    return sent


def test_a_file_of_text_is_sent_without_what_is_redacted(framework, sent):
    said = sent("look", framework.table)
    assert "look" in said and based(CLEAN) in said and based(TEXT) not in said


def test_a_file_whose_name_is_redacted_is_sent_under_another(framework, sent):
    if framework.paper is None:
        pytest.skip("its files have no names")
    said = sent("look", framework.paper)
    assert "[REDACTED].pdf" in said and KEY not in said
    assert based("%PDF") in said or "a.pdf" in said


def test_a_picture_whose_address_is_redacted_is_named_where_it_stood(framework, sent):
    said = sent("see", framework.picture, "and say")
    assert KEY not in said and "not sent: its address was redacted" in said
    assert "see" in said and "and say" in said


def test_a_picture_alone_whose_address_is_redacted_is_named(framework, sent):
    assert "not sent: its address was redacted" in sent(framework.picture)


def test_what_has_nothing_to_redact_is_the_caller_s_own(framework):
    picture, file = framework.picture, framework.paper
    for messages in (framework.asks("a", picture), framework.answers("a", file or picture)):
        asked = MappedRequest(framework.mapping, messages, model="gpt-5")
        compiled = Context(C.default() | C.redact(["email"]), model="gpt-5")(asked.body)
        assert all(one is other for one, other in zip(asked.messages_of(compiled), messages))


def test_the_name_that_a_program_gave_a_picture_in_a_result_is_redacted():
    messages = pytest.importorskip("pydantic_ai.messages")
    framework = pydantic_ai()
    named = messages.BinaryContent(b"PNG", media_type="image/png", identifier=f"{KEY}.png")
    plain = messages.BinaryContent(b"PNG", media_type="image/png")
    asked = MappedRequest(framework.mapping, framework.answers(named, plain), model="gpt-5")
    compiled = Context(C.default() | C.redact(["secrets"]), model="gpt-5")(asked.body)
    new, other = asked.messages_of(compiled)[-1].parts[0].files
    assert new.identifier == "[REDACTED].png" and new.data == b"PNG" and other is plain


@pytest.mark.parametrize("field", ["files", "videos", "audio"])
def test_agno_s_files_by_their_address_are_named_where_they_stood(field):
    media, message = pytest.importorskip("agno.media"), pytest.importorskip("agno.models.message")
    kind = {"files": media.File, "videos": media.Video, "audio": media.Audio}[field]
    asked = message.Message(role="user", content="see", **{field: [kind(url=ADDRESS)]})
    request = MappedRequest(agno().mapping, [asked], model="gpt-5")
    compiled = Context(C.default() | C.redact(["secrets"]), model="gpt-5")(request.body)
    [made] = request.messages_of(compiled)
    assert not getattr(made, field) and "not sent: its address was redacted" in made.content
    assert KEY not in str(made)
