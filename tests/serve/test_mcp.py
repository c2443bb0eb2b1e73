"""`ctx mcp` by the official SDK's own client: bounded, scoped, read-only unless allowed."""

import asyncio
import json
import os
import sys

import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import LATEST_PROTOCOL_VERSION
from tests.cli.commands import ended
from tests.serve.raw_upstream import tool_loop

from contextwright import C, Session, SQLiteSessions, read_session, write_session
from contextwright.cli.mcp_command import session_files
from contextwright.serve.mcp_tools import mcp_server
from contextwright.serve.session_tools import SessionFiles, SessionTools
from contextwright.stores.memory_store import SQLiteMemory
from contextwright.tokens.counter import named_counter


def session_of(id, secret):
    session = read_session(tool_loop(20))
    made = Session(id, list(session.log), tools=session.tools, metadata=session.metadata)
    made.user(f"the password of the harbour is {secret}")
    made.assistant("noted")
    made.user("and now?")
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    store = SQLiteSessions(folder / "sessions.sqlite")
    store.save(session_of("a/one", "heron"))
    store.save(session_of("b/two", "cormorant"))
    memory = SQLiteMemory(folder / "memory.sqlite")
    memory.write("the harbour opens at six", id="m-b", scope="b/")
    return folder


def tools_of(folder, scope="a/", **options):
    return SessionTools(
        SQLiteSessions(folder / "sessions.sqlite"),
        memory=SQLiteMemory(folder / "memory.sqlite"),
        spec=C.compaction(4000),
        scope=scope,
        **options,
    )


def ask(folder, *calls, allow_writes=False, **options):
    """The answers to calls, (is_error, text) each, by a real client."""
    server = mcp_server(tools_of(folder, **options), allow_writes=allow_writes)

    async def asked():
        async with Client(server) as client:
            answers = [await client.call_tool(name, arguments) for name, arguments in calls]
            return [(bool(one.is_error), one.content[0].text) for one in answers]

    return asyncio.run(asked())


def listed(folder, **options):
    async def tools():
        async with Client(mcp_server(tools_of(folder), **options)) as client:
            return (await client.list_tools()).tools

    return asyncio.run(tools())


def test_six_tools_cost_less_than_600_tokens_and_writes_are_off(folder):
    assert [tool.name for tool in listed(folder)] == ["recall", "expand", "why"]
    tools = listed(folder, allow_writes=True)
    assert [tool.name for tool in tools][3:] == ["remember", "forget", "pin"]
    text = json.dumps([tool.model_dump(exclude_none=True, by_alias=True) for tool in tools])
    assert named_counter("o200k_base").count(text) < 600


def test_what_was_said_is_recalled_with_refs_that_can_be_expanded(folder):
    [(failed, text)] = ask(folder, ("recall", {"query": "harbour password"}))
    assert not failed and "heron" in text and "session a/one" in text
    ref = next(word for word in text.split() if word.startswith("event://"))
    [(failed, whole)] = ask(folder, ("expand", {"session": "a/one", "ref": ref}))
    assert not failed and "the password of the harbour is heron" in whole


def test_a_large_result_is_read_page_by_page(folder):
    session = SQLiteSessions(folder / "sessions.sqlite").load("a/one")
    ref = f"event://{next(e.id for e in session.log if e.results)}#0"
    call = {"session": "a/one", "ref": ref, "max_tokens": 200}
    (_, first), (_, grepped) = ask(
        folder, ("expand", call), ("expand", {**call, "grep": "0 59 some"})
    )
    assert "page=2" in first and named_counter("o200k_base").count(first) <= 220
    assert "0 59 some words" in grepped and "0 58 some" not in grepped


def test_why_names_what_was_done(folder):
    [(failed, text)] = ask(folder, ("why", {"session": "a/one", "about": "e3"}))
    assert not failed and "→" in text
    [(failed, text)] = ask(folder, ("why", {"session": "a/one", "about": "Harbour"}))
    assert not failed and "sent as it is" in text


UNKNOWN = [
    ("expand", {"session": "SESSION", "ref": "event://e1"}),
    ("why", {"session": "SESSION", "about": "e1"}),
    ("recall", {"query": "harbour", "session": "SESSION"}),
]


@pytest.mark.parametrize(("name", "arguments"), UNKNOWN)
def test_a_foreign_session_looks_like_one_that_never_was(folder, name, arguments):
    calls = [(name, {**arguments, "session": session}) for session in ("b/two", "a/nine")]
    (foreign, one), (unknown, other) = ask(folder, *calls)
    assert foreign and unknown and one.replace("b/two", "a/nine") == other
    assert "cormorant" not in one


def test_a_session_that_is_not_there_is_told_with_those_that_are(folder):
    ((is_error, text),) = ask(folder, ("why", {"session": "a/on", "about": "harbour"}))
    assert is_error
    assert "no session 'a/on'; the newest are a/one" in text
    assert "b/two" not in text


def test_a_foreign_ref_looks_like_an_unknown_one(folder):
    refs = [
        "event://e999",
        "artifact://another",
        "file:///etc/passwd",
        "https://h/",
        "nonsense",
        "",
    ]
    answers = ask(folder, *(("expand", {"session": "a/one", "ref": ref}) for ref in refs))
    told = {text.replace(repr(ref), "") for (_, text), ref in zip(answers, refs, strict=True)}
    assert all(failed for failed, _ in answers) and len(told) == 1


def test_recall_sees_its_own_scope_only(folder):
    [(_, text)] = ask(folder, ("recall", {"query": "harbour password opens"}))
    assert "cormorant" not in text and "six" not in text
    [(_, text)] = ask(folder, ("recall", {"query": "harbour password opens"}), scope="b/")
    assert "cormorant" in text and "six" in text


def test_memories_are_written_where_that_is_allowed(folder):
    [(failed, text)] = ask(folder, ("remember", {"text": "ferries are late"}))
    assert failed and "remember" in text
    writing = {"allow_writes": True}
    [(failed, text)] = ask(folder, ("remember", {"text": "ferries are late"}), **writing)
    assert not failed
    id = text.rpartition(" ")[2]
    answers = ask(
        folder,
        ("recall", {"query": "ferries"}),
        ("pin", {"id": id}),
        ("forget", {"id": id}),
        ("forget", {"id": id}),
        ("forget", {"id": "m-b"}),
        **writing,
    )
    assert [failed for failed, _ in answers] == [False, False, False, True, True]
    assert "ferries are late" in answers[0][1]
    assert answers[3][1].replace(id, "m-b") == answers[4][1]


def test_what_the_spec_redacts_is_in_no_answer(folder):
    session = Session("s")
    session.user("write to ada@example.com about the harbour")
    session.assistant("done")
    session.user("and now?")
    spec = C.default() | C.redact(patterns=["email"])
    tools = SessionTools(SessionFiles({"s": session}), spec=spec)
    answers = [tools.recall("harbour"), tools.expand("s", "event://e1"), tools.why("s", "harbour")]
    assert "harbour" in answers[0] and not any("ada@" in text for text in answers)


def test_why_says_that_no_term_selected_an_event():
    session = Session("s")
    for number in range(4):
        session.user(f"question {number}")
        session.assistant(f"answer {number}")
    tools = SessionTools(SessionFiles({"s": session}), spec=C.window(2))
    left_out = "left out, no term of the spec selected it, event://e1#..e3"
    assert tools.why("s", "question 1") == f"e2: {left_out}"
    assert tools.why("s", "event://e7") == "e7: sent as it is"


def test_it_speaks_over_standard_input_and_output(folder):
    path = folder / "session.json"
    write_session(session_of("s", "osprey"), path=path)
    arguments = ["-m", "contextwright.cli", "mcp", str(path)]

    async def asked():
        server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
        async with Client(stdio_client(server)) as client:
            answer = await client.call_tool("recall", {"query": "harbour password"})
            return answer.content[0].text, client.protocol_version

    text, version = asyncio.run(asked())
    assert "osprey" in text and version == LATEST_PROTOCOL_VERSION


def test_files_of_one_name_are_told_apart_by_their_paths(folder, tmp_path):
    paths = [tmp_path / name / "run.json" for name in ("one", "two")]
    for path, secret in zip(paths, ("heron", "osprey"), strict=True):
        path.parent.mkdir()
        write_session(session_of("s", secret), path=path)
    sessions = session_files((*paths, paths[0]))
    assert sessions.ids() == [str(path) for path in paths]
    tools = SessionTools(sessions, spec=C.default())
    assert "heron" in tools.recall("harbour", session=str(paths[0]))
    assert session_files(tuple(paths[:1])).ids() == ["run.json"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--data", "{file}/data", "--allow-writes"), 10, ("can not be made", "Not a directory")),
        (("--data", "{folder}/misspelt"), 4, ("no such folder", "ctx serve --data")),
        (("{file}", "--allow-writes"), 2, ("--data FOLDER",)),
    ],
)
def test_what_could_not_work_is_refused_before_it_serves(tmp_path, capsys, arguments, code, words):
    file = tmp_path / "s.json"
    write_session(session_of("s", "osprey"), path=file)
    words_typed = (one.format(file=file, folder=tmp_path) for one in arguments)
    ended_with, _, error = ended(capsys, "mcp", *words_typed)
    assert not (tmp_path / "misspelt").exists()
    assert ended_with == code and all(word in error for word in words), error
