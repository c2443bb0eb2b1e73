"""A part that a spec leaves alone is what ADK would send, with all its fields."""

import asyncio
import warnings

import pytest

pytest.importorskip("google.adk")
warnings.simplefilter("ignore")

from google.adk.agents import LlmAgent  # noqa: E402
from google.adk.apps import App  # noqa: E402
from google.adk.events import Event  # noqa: E402
from google.adk.runners import Runner  # noqa: E402
from google.adk.sessions import InMemorySessionService  # noqa: E402
from google.genai import types  # noqa: E402
from tests.adapters.adk.scripted import said, script  # noqa: E402

from contextwright import C  # noqa: E402
from contextwright.adapters.adk import ContextPlugin, Mirrors, with_context  # noqa: E402

PNG = b"\x89PNG\r\n\x1a\n" + bytes(50)
MAIL = "ann@home.org"


def part(**fields):
    return types.Part.model_validate(fields)


def file(uri, **fields):
    return {"file_data": {"file_uri": uri, **fields}}


OF_USER = {
    "a picture with a name": part(
        inline_data={"data": PNG, "mime_type": "image/png", "display_name": "a.png"}
    ),
    "a picture's resolution": part(
        inline_data={"data": PNG, "mime_type": "image/png"},
        media_resolution={"level": "MEDIA_RESOLUTION_HIGH"},
    ),
    "a film's cut": part(
        **file("https://youtu.be/x", mime_type="video/mp4"),
        video_metadata={"start_offset": "1s", "end_offset": "3s", "fps": 2},
    ),
    "a file with a name": part(
        **file("gs://bucket/x.pdf", mime_type="application/pdf", display_name="x.pdf")
    ),
    "a file of no type": part(**file("gs://bucket/x")),
    "a picture elsewhere": part(**file("https://pictures.example/x.png", mime_type="image/png")),
    "a file elsewhere": part(**file("http://files.example/x.pdf", mime_type="application/pdf")),
    "a text with data": part(text="hi", part_metadata={"k": ["v", 1]}),
}
OF_MODEL = {
    "a signed picture": [
        part(text="here"),
        part(inline_data={"data": PNG, "mime_type": "image/png"}, thought_signature=b"sig"),
    ],
    "a text with data": [part(text="here", part_metadata={"k": {"v": None}})],
    "a search of the provider's": [
        part(tool_call={"id": "t1", "tool_type": "GOOGLE_SEARCH_WEB", "args": {"q": ["x"]}}),
        part(
            tool_response={"id": "t1", "tool_type": "GOOGLE_SEARCH_WEB", "response": {"r": 1}},
            thought_signature=b"sig",
        ),
        part(text="found"),
    ],
}


def sent(plugins, user, *model):
    """The contents of the request of a session with these parts."""

    async def run():
        service, llm = InMemorySessionService(), script("ok")
        session = await service.create_session(app_name="app", user_id="u", session_id="s")
        for author, parts in (("user", user), ("guide", model)):
            role = "user" if author == "user" else "model"
            content = types.Content(role=role, parts=list(parts))
            if parts:
                await service.append_event(
                    session, Event(author=author, content=content, invocation_id="i")
                )
        root = LlmAgent(name="guide", model=llm)
        runner = Runner(
            app=App(name="app", root_agent=root, plugins=plugins), session_service=service
        )
        async for _ in runner.run_async(user_id="u", session_id="s", new_message=said("and?")):
            pass
        return [one.model_dump(exclude_none=True) for one in llm.sent[-1].contents]

    return asyncio.run(run())


def plugins(spec):
    return [ContextPlugin(spec, mirrors=Mirrors())]


FITS = C.compaction(100_000)
REDACTS = FITS | C.redact(["email"])


@pytest.mark.parametrize("spec", [FITS, REDACTS, C.window(n=5)], ids=["fits", "redacts", "window"])
@pytest.mark.parametrize("name", OF_USER)
def test_a_users_part_keeps_its_fields(name, spec):
    user = [OF_USER[name], part(text="look")]
    assert sent(plugins(spec), user, part(text="ok")) == sent([], user, part(text="ok"))


@pytest.mark.parametrize("spec", [FITS, REDACTS, C.window(n=5)], ids=["fits", "redacts", "window"])
@pytest.mark.parametrize("name", OF_MODEL)
def test_a_models_part_keeps_its_fields(name, spec):
    user = [part(text="look")]
    assert sent(plugins(spec), user, *OF_MODEL[name]) == sent([], user, *OF_MODEL[name])


SECRET = {
    "a name": part(
        inline_data={"data": PNG, "mime_type": "image/png", "display_name": f"{MAIL}.png"}
    ),
    "data": part(text="hi", part_metadata={"k": [MAIL]}),
    "an address": part(**file(f"https://x.example/{MAIL}", mime_type="image/png")),
    "a file's name": part(**file("https://x.example/1", mime_type="image/png", display_name=MAIL)),
}


@pytest.mark.parametrize("name", SECRET)
def test_a_field_is_redacted(name):
    contents = sent(plugins(REDACTS), [SECRET[name], part(text="look")], part(text="ok"))
    assert MAIL not in str(contents)


@pytest.mark.parametrize(
    "added",
    [
        *SECRET.values(),
        part(executable_code={"code": f"mail('{MAIL}')", "language": "PYTHON"}),
        part(code_execution_result={"outcome": "OUTCOME_OK", "output": MAIL}),
        part(tool_response={"id": "t", "tool_type": "URL_CONTEXT", "response": {"r": [MAIL]}}),
        part(inline_data={"data": MAIL.encode(), "mime_type": "text/plain"}),
        part(inline_data={"data": MAIL.encode(), "mime_type": "application/xml"}),
        part(text="thought", thought=True, thought_signature=MAIL.encode()),
    ],
    ids=lambda added: " ".join(sorted(added.model_fields_set)),
)
def test_what_a_callback_adds_is_redacted_in_all_its_fields(added):
    """It stands beside the conversation."""
    service, llm = InMemorySessionService(), script("ok")

    def add(callback_context, llm_request):
        llm_request.contents.append(types.Content(role="user", parts=[added, part(text="added")]))

    async def run():
        await service.create_session(app_name="app", user_id="u", session_id="s")
        root = with_context(
            LlmAgent(name="guide", model=llm, before_model_callback=add), REDACTS, mirrors=Mirrors()
        )
        runner = Runner(app=App(name="app", root_agent=root), session_service=service)
        async for _ in runner.run_async(user_id="u", session_id="s", new_message=said("hi")):
            pass

    asyncio.run(run())
    contents = str([one.model_dump(exclude_none=True) for one in llm.sent[-1].contents])
    assert "added" in contents
    assert MAIL not in contents.replace(f"'thought_signature': b'{MAIL}'", "")
