"""The Claude Agent SDK's transcripts in our store, by its own suite, and what reads them back."""

# pyright: basic, reportMissingImports=false, reportOptionalSubscript=false

import asyncio
import itertools
from contextlib import nullcontext
from pathlib import Path

import pytest

from contextwright.stores import SQLiteSessions

pytest.importorskip("claude_agent_sdk")

import claude_agent_sdk
from claude_agent_sdk import ClaudeAgentOptions, query
from claude_agent_sdk.testing import run_session_store_conformance

from contextwright.adapters.claude_agent import TranscriptStore, read_back_server
from contextwright.adapters.claude_agent.read_back_server import reading_tools
from contextwright.errors import SessionError
from contextwright.testing.strict_server import StrictServer, call

CLAUDE_CODE = Path(str(claude_agent_sdk.__file__)).parent / "_bundled/claude"
KEY = {"project_key": "p", "session_id": "s"}


def lines(count):
    """A transcript of so many reads, as Claude Code writes it."""
    made = [{"type": "user", "uuid": "u", "message": {"role": "user", "content": "read all"}}]
    for number in range(count):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"n": number}}
        text = f"the seal of file {number} is {number * 7919}"
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        for role, part in (("assistant", use), ("user", result)):
            message = {"role": role, "content": [part]}
            made.append({"type": role, "uuid": f"{role}{number}", "message": message})
    parents = [None, *(line["uuid"] for line in made)]
    common = {"sessionId": "s", "timestamp": "2026-11-22T12:00:00.000Z"}
    return [
        {**line, "parentUuid": parent, **common}
        for line, parent in zip(made, parents, strict=False)
    ]


def test_the_store_passes_the_suite_of_the_sdk(tmp_path):
    names = itertools.count()

    def made():
        return TranscriptStore(SQLiteSessions(tmp_path / f"{next(names)}.db"))

    asyncio.run(run_session_store_conformance(made))


def test_a_line_that_comes_again_is_not_there_twice(tmp_path):
    store = TranscriptStore(SQLiteSessions(tmp_path / "s.db"))

    async def play():
        await store.append(KEY, lines(2))
        await store.append(KEY, lines(3))
        return await store.load(KEY)

    assert asyncio.run(play()) == lines(3)


def test_a_transcript_is_a_session_of_its_own_calls(tmp_path):
    store = TranscriptStore(SQLiteSessions(tmp_path / "s.db"))
    asyncio.run(store.append(KEY, lines(3)))
    assert store.newest == KEY and len(store.session()) == 7


def test_the_tools_find_and_read_what_is_no_longer_in_sight(tmp_path):
    store = TranscriptStore(SQLiteSessions(tmp_path / "s.db"))
    search, expand = sorted(reading_tools(store, "claude-opus-4-5"), key=lambda t: t.name)[::-1]

    async def play():
        await store.append(KEY, lines(30))
        found = await search.handler({"query": "seal of file 3"})
        text = found["content"][0]["text"]
        ref = next(word for word in text.split() if word.startswith("event://assistant3#"))
        return text, await expand.handler({"ref": ref})

    text, read = asyncio.run(play())
    assert str(3 * 7919) in text and str(3 * 7919) in read["content"][0]["text"]


def test_without_a_transcript_the_tools_say_so(tmp_path):
    store = TranscriptStore(SQLiteSessions(tmp_path / "s.db"))
    answer = asyncio.run(reading_tools(store, "claude-opus-4-5")[0].handler({"ref": "event://a"}))
    assert answer["is_error"] and "no such transcript" in answer["content"][0]["text"]
    with pytest.raises(SessionError, match="no such transcript"):
        store.session()


def test_the_server_is_what_the_options_take(tmp_path):
    store = TranscriptStore(SQLiteSessions(tmp_path / "s.db"))
    server = read_back_server(store)
    options = ClaudeAgentOptions(session_store=store, mcp_servers={"contextwright": server})
    assert server["type"] == "sdk" and options.session_store is store


def options_for(server, store, folder, config, **more):
    """Claude Code itself, before a provider of this machine's, and nothing else."""
    quiet = ("DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING")
    env = {
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "none",
        "ENABLE_TOOL_SEARCH": "false",
        "CLAUDE_CONFIG_DIR": str(folder / config),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        **dict.fromkeys(quiet, "1"),
    }
    return ClaudeAgentOptions(
        model="claude-opus-4-5",
        session_store=store,
        session_store_flush="eager",
        mcp_servers={"contextwright": read_back_server(store)},
        allowed_tools=["mcp__contextwright__search", "Read"],
        setting_sources=[],
        cwd=folder,
        env=env,
        **more,
    )


@pytest.mark.skipif(not CLAUDE_CODE.exists(), reason="the package is without Claude Code")
def test_claude_code_writes_here_goes_on_from_here_and_reads_back(tmp_path):
    def found(request):
        assert "mcp__contextwright__search" in request.tools
        return call("mcp__contextwright__search", query="harbour")

    store = TranscriptStore(SQLiteSessions(tmp_path / "s.db"))
    with StrictServer(["the harbour is closed", found, "read"], window=200_000) as server:

        async def ask(question, config, **more):
            options = options_for(server, store, tmp_path, config, **more)
            messages = [message async for message in query(prompt=question, options=options)]
            return messages[-1].result

        async def play():
            assert await ask("and the harbour?", "one") == "the harbour is closed"
            id_ = store.newest["session_id"]
            # another configuration: what is known is what the store gives back
            return await ask("look it up", "two", resume=id_)

        assert asyncio.run(play()) == "read"
    assert not server.refused
    assert "the harbour is closed" in server.requests[1].text
    texts = [str(part) for event in store.session().log for part in event.parts]
    assert any("look it up" in text for text in texts)


READS = 12
ROOM = 16_000
"""Tokens of four characters for the conversation, beside Claude Code's own instruction and tools."""


def read_of(number, folder):
    def asked(request):
        return call("Read", file_path=str(folder / f"file{number}.txt"))

    return asked


def play_reads(tmp_path, window, through=None):
    """One turn in which Claude Code reads all files; its result, the server and the store."""
    folder = tmp_path / "files"
    folder.mkdir(parents=True)
    for number in range(READS):
        lines = [f"line {n} of file {number}, seal {number * 7919 + n}" for n in range(230)]
        (folder / f"file{number}.txt").write_text("\n".join(lines))
    store = TranscriptStore(SQLiteSessions(tmp_path / "s.db"))
    answers = [*(read_of(number, folder) for number in range(READS)), "all read"]

    async def play(front):
        options = options_for(front, store, folder, "one")
        return [each async for each in query(prompt="read all", options=options)][-1]

    server = StrictServer(answers, window=window)
    with server, through(server.url) if through else nullcontext(server) as front:
        return asyncio.run(play(front)), server, store


@pytest.mark.slow
@pytest.mark.skipif(not CLAUDE_CODE.exists(), reason="the package is without Claude Code")
def test_the_request_is_bounded_by_the_proxy_and_the_transcript_stays_whole(tmp_path):
    pytest.importorskip("aiohttp")
    from contextwright import C
    from contextwright.serve.proxy_server import ProxyThread
    from contextwright.serve.settings import ProxySettings

    free, server, _ = play_reads(tmp_path / "free", 200_000)
    assert free.result == "all read"
    own, most = server.requests[0].tokens, max(each.tokens for each in server.requests)
    window = own + ROOM
    assert most > window, "the loop does not fill the window"

    def proxied(url):
        spec = C.compaction(window - 2_000)
        return ProxyThread(ProxySettings(spec=spec, upstream=url, port=0))

    bounded, server, store = play_reads(tmp_path / "bounded", window, proxied)
    assert bounded.result == "all read" and not server.refused
    assert max(each.tokens for each in server.requests) <= window
    session = store.session()
    texts = " ".join(str(part) for event in session.log for part in event.parts)
    assert all(f"seal {number * 7919}" in texts for number in range(READS))
