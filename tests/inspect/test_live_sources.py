"""The page follows a running proxy, and an engine in its own process."""

import json
from threading import Thread
from urllib.parse import urlsplit

import pytest
from tests.inspect.browser import Tab, chromium
from tests.inspect.test_live_server import fetched
from tests.serve.raw_upstream import RawAnswer, post, proxied, tool_loop

from contextwright import C, Engine, Session, target
from contextwright.errors import SessionError, SpecError
from contextwright.inspect import proxy_source
from contextwright.inspect.engine_page import EnginePage
from contextwright.inspect.live_server import LiveServer
from contextwright.inspect.live_session import LiveSession
from contextwright.inspect.proxy_source import ProxySource, is_address

SPEC = C.compaction(4000)
ANSWER = RawAnswer(body=b'{"usage": {"prompt_tokens": 3000, "completion_tokens": 7}}')
OWN = {"authorization": "Bearer agent-1"}


def test_a_page_follows_a_running_proxy_and_is_told_of_each_call():
    with proxied(lambda seen: ANSWER, spec=SPEC) as (_, proxy):
        post(proxy.url, tool_loop(12), OWN)
        source = ProxySource(proxy.url, credential="agent-1")
        live = LiveSession(source, [(repr(SPEC), SPEC)], target("gpt-5"), "agent")
        with LiveServer(live) as server:
            Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
            before = json.loads(fetched(f"{server.address}data")[0])
            with chromium() as browser:
                tab = Tab(browser, server.address)
                events = tab.page.locator(".banner .title small")
                assert f"{before['events']} events" in events.inner_text()
                # the agent goes on; in a thread of its own, the browser's driver has a loop in this
                agent = Thread(target=post, args=(proxy.url, tool_loop(14), OWN))
                agent.start()
                agent.join()
                more = tab.page.locator(".banner .title small", has_text="calls")
                more.filter(has_not_text=f"{before['events']} events").wait_for()
                after = json.loads(fetched(f"{server.address}data")[0])
                assert f"{after['events']} events" in events.inner_text() and not tab.complaints
                tab.close()
            assert len(after["calls"]["position"]) == len(before["calls"]["position"]) + 2
            server.shutdown()


def test_a_proxy_tells_of_each_call_and_is_not_asked_in_between():
    asked = []
    with proxied(lambda seen: ANSWER, spec=SPEC) as (_, proxy):
        post(proxy.url, tool_loop(12), OWN)
        source = ProxySource(proxy.url, credential="agent-1")
        opened = source._open
        source._open = lambda request, **rest: asked.append(request) or opened(request, **rest)
        seen = source.wait(source.stamp(), 0.05)
        for steps in (13, 14):
            post(proxy.url, tool_loop(steps), OWN)
            now = source.wait(seen, 5)
            assert now != seen and source.stamp() == now
            seen = now
        assert source.wait(seen, 0.7) == seen
        # once by `stamp` before it listened, once to listen
        assert [request.selector for request in asked] == ["/sessions"] * 2
        source.close()


def test_a_proxy_that_begins_again_is_listened_to_again(monkeypatch, tmp_path):
    monkeypatch.setattr(proxy_source, "AGAIN_S", 0.05)
    with proxied(lambda seen: ANSWER, spec=SPEC, data=tmp_path) as (_, proxy):
        post(proxy.url, tool_loop(12), OWN)
        source, port = ProxySource(proxy.url, credential="agent-1"), urlsplit(proxy.url).port
        before = source.wait(None, 5)
    assert source.wait(before, 0.1) == before
    with proxied(lambda seen: ANSWER, spec=SPEC, data=tmp_path, port=port) as (_, proxy):
        post(proxy.url, tool_loop(13), OWN)
        after = source.wait(before, 10)
        assert after != before and len(source.session()) == len(tool_loop(13)["messages"])
        source.close()


def test_a_conversation_that_nothing_was_due_for_is_followed_as_well():
    with proxied(lambda seen: ANSWER, spec=SPEC) as (_, proxy):
        _, headers, _ = post(proxy.url, tool_loop(2, lines=3), OWN)
        assert headers["x-contextwright-action"] == "untouched"
        source = ProxySource(proxy.url, credential="agent-1")
        assert len(source.session()) == len(tool_loop(2, lines=3)["messages"])


def test_who_has_another_credential_sees_none_of_it():
    with proxied(lambda seen: ANSWER, spec=SPEC) as (_, proxy):
        post(proxy.url, tool_loop(12), OWN)
        own = json.loads(fetched(f"{proxy.url}/sessions", **OWN)[0])["sessions"]
        assert len(own) == 1 and own[0]["model"] == "gpt-5" and own[0]["pack"]
        for credential in ("", "agent-2"):
            with pytest.raises(SessionError, match="no call of this credential"):
                ProxySource(proxy.url, credential=credential)
            with pytest.raises(SessionError, match="404"):
                ProxySource(proxy.url, own[0]["id"], credential=credential).session()


def test_a_proxy_that_ends_leaves_the_page_as_it_was():
    with proxied(lambda seen: ANSWER, spec=SPEC) as (_, proxy):
        post(proxy.url, tool_loop(12), OWN)
        source = ProxySource(proxy.url, credential="agent-1")
        live = LiveSession(source, [(repr(SPEC), SPEC)], target("gpt-5"), "agent")
        data, stamp = live.data(), source.stamp()
    assert source.stamp() == stamp and live.data() is data
    with pytest.raises(SessionError, match="no proxy answers"):
        ProxySource(proxy.url)


def test_a_page_follows_an_engine_in_its_process():
    engine, session = Engine(C.default() | C.compaction(2000), "gpt-5"), Session("agent")
    session.user("question 0")
    with EnginePage(engine, session) as page:
        pack = engine.compile(session)
        first = json.loads(fetched(f"{page.address}data")[0])
        assert first["series"][0]["tokens"] == [pack.tokens]
        with chromium() as browser:
            tab = Tab(browser, page.address)
            for turn in range(1, 4):
                session.assistant(f"answer {turn}")
                session.user(f"question {turn}")
                pack = engine.compile(session)
            tab.page.locator(".banner .title small", has_text="4 calls").wait_for()
            tab.at(v="call", c=4)
            assert tab.value("tokens", ".call-side") == pack.tokens and not tab.complaints
            tab.close()
        assert "(seen)" not in first["title"]
    engine.compile(session)  # the page has gone, the engine goes on


def test_an_engine_with_a_compiler_of_its_own_has_no_page():
    class Own:
        def compile(self, snapshot, target):
            raise AssertionError

    with pytest.raises(SpecError, match="a compiler of its own"):
        EnginePage(Engine(Own(), "gpt-5"), Session("s"))


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("http://127.0.0.1:8787", True), ("https://proxy.example/base", True), ("a.json", False),
     ("http:", False), ("C:/x.json", False), ("-", False)],
)  # fmt: skip
def test_what_is_an_address(text, is_one):
    assert is_address(text) is is_one
