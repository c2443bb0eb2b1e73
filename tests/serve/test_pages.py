"""What the proxy says of itself, and the service by which guardrails call it."""

import asyncio
import gzip
import json
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager

import aiohttp
import pytest
from tests.serve.raw_upstream import RawAnswer, post, proxied, tool_loop, wait_for

from contextwright import C
from contextwright.cli.main import ctx
from contextwright.errors import ProxyError
from contextwright.serve.call_followers import MOST
from contextwright.serve.call_ledger import CallSums, file_ledger
from contextwright.serve.settings import ProxySettings

LONG = tool_loop(20)
SPEC = C.compaction(4000)
BILLED = RawAnswer(body=b'{"usage": {"prompt_tokens": 3000, "completion_tokens": 7}}')


def get(url, headers=()):
    async def asked():
        async with (
            aiohttp.ClientSession() as session,
            session.get(url, headers=dict(headers)) as answer,
        ):
            return answer.status, await answer.read()

    return asyncio.run(asked())


def test_sums_and_metrics_are_of_what_was_sent():
    with proxied(lambda seen: BILLED, spec=SPEC) as (upstream, proxy):
        post(proxy.url, LONG)
        post(proxy.url, {"model": "gpt-5", "messages": [{"role": "user", "content": "a title"}]})
        wait_for(lambda: proxy.app.ledger.sums().calls == 2)
        stats = json.loads(get(f"{proxy.url}/stats")[1])
        assert (stats["calls"], stats["rewritten"], stats["faults"]) == (2, 1, 0)
        assert stats["billed_input"] == 6000 and stats["billed_output"] == 14
        assert 3000 < stats["tokens"] < 7000 < stats["whole_tokens"]
        assert stats["saved_cost"] > 0 and stats["by_model"][0]["model"] == "gpt-5"
        metrics = get(f"{proxy.url}/metrics")[1].decode()
        assert 'contextwright_calls_total{model="gpt-5"} 2' in metrics.splitlines()
        assert len(upstream.seen) == 2


@contextmanager
def listening(url, **headers):
    """The events of `/sessions`, as they are told."""
    headers = {"accept": "text/event-stream", **headers}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/sessions", headers=headers)) as told:
        yield (json.loads(line[6:])["sessions"] for line in told if line.startswith(b"data: "))


def test_who_listens_is_told_of_its_own_calls():
    with proxied(lambda seen: BILLED, spec=SPEC) as (_, proxy):
        one, two = ({"authorization": f"Bearer {name}"} for name in ("one", "two"))
        post(proxy.url, LONG, one)
        with listening(proxy.url, **one) as own, listening(proxy.url, **two) as others:
            (first,) = next(own)
            assert next(others) == []
            post(proxy.url, tool_loop(21), one)
            (second,) = next(own)
            assert first["id"] == second["id"] and first["pack"] != second["pack"]
            post(proxy.url, LONG, two)
            (other,) = next(others)  # the first that it is told of is its own
            assert other["id"] != first["id"]
        wait_for(lambda: not proxy.app.proxy.followers._news)


def test_so_many_may_listen_and_nobody_holds_up_the_end():
    with ExitStack() as open_ones:
        with proxied(lambda seen: BILLED, spec=SPEC, drain_s=20) as (_, proxy):
            for _ in range(MOST):
                next(open_ones.enter_context(listening(proxy.url)))
            with pytest.raises(urllib.error.HTTPError) as refused:
                open_ones.enter_context(listening(proxy.url))
            assert refused.value.code == 503
            begun = time.monotonic()
        assert time.monotonic() - begun < 10


def seen(url, path, **headers):
    return get(url + path, {name.replace("_", "-"): value for name, value in headers.items()})[1]


@pytest.mark.parametrize("keys", [{}, {"key": "k", "admin_key": "a"}])
def test_a_tenant_sees_its_own_sums_and_who_runs_it_all(keys):
    own = {"x_contextwright_key": "k"} if keys else {}
    with proxied(lambda seen: BILLED, spec=SPEC, **keys) as (_, proxy):
        for tenant, model, calls in (("one", "gpt-5", 1), ("two", "gpt-5-mini", 2)):
            for _ in range(calls):
                headers = {"authorization": f"Bearer {tenant}", "x-contextwright-key": "k"}
                post(proxy.url, {**LONG, "model": model}, headers)
        wait_for(lambda: proxy.app.ledger.sums().calls == 3)
        url, one = proxy.url, {"authorization": "Bearer one", **own}
        stats = json.loads(seen(url, "/stats", **one))
        assert stats["calls"] == 1 and [by["model"] for by in stats["by_model"]] == ["gpt-5"]
        assert len(stats["by_tenant"]) == len(stats["by_conversation"]) == 1
        assert "open_calls" not in stats
        assert b"gpt-5-mini" not in seen(url, "/metrics", **one)
        whoever = json.loads(seen(url, "/stats", **own))
        assert whoever["calls"] == (0 if keys else 3)  # without a credential, and with the key
        admin = {"x_contextwright_key": "a"} if keys else {}
        whole = json.loads(seen(url, "/stats", **admin))
        assert whole["calls"] == 3 and len(whole["by_tenant"]) == 2
        metrics = seen(url, "/metrics", **admin)
        assert b'{model="gpt-5-mini"} 2' in metrics and b"open_calls" in metrics
        assert get(f"{url}/stats", {"x-contextwright-key": "x"})[0] == (401 if keys else 200)


def test_the_key_that_shows_all_is_not_the_one_that_all_have():
    with pytest.raises(ProxyError, match="sums of all"):
        ProxySettings(upstream="https://api.openai.com", key="k", admin_key="k")


def test_what_nothing_was_due_for_saved_nothing():
    with proxied(lambda seen: BILLED, spec=SPEC) as (_, proxy):
        for count in (1, 2, 3):
            post(proxy.url, tool_loop(count, lines=5))
        wait_for(lambda: proxy.app.ledger.sums().calls == 3)
        sums = proxy.app.ledger.sums()
        assert sums.calls == 3 and sums.tokens > 0
        assert sums.saved_tokens == 0 and sums.saved_cost == 0


def test_a_rewritten_request_is_replayed_from_its_pack(tmp_path):
    from click.testing import CliRunner

    with proxied(spec=SPEC) as (upstream, proxy):
        _, headers, _ = post(proxy.url, LONG)
        page = f"{proxy.url}/packs/{headers['x-contextwright-pack']}"
        pack, session = tmp_path / "pack.json", tmp_path / "session.json"
        pack.write_bytes(get(page)[1])
        session.write_bytes(get(f"{page}/session")[1])
        assert json.loads(upstream.seen[0].body) == json.loads(pack.read_bytes())["request"]
    done = CliRunner().invoke(ctx, ["replay", str(pack), str(session)], catch_exceptions=False)
    assert done.exit_code == 0 and "same" in done.output.lower(), done.output


def test_the_ledger_goes_on_after_a_restart(tmp_path):
    for calls in (1, 2):
        ledger = file_ledger(tmp_path / "ledger.sqlite")
        salt = ledger.salt()
        ledger.add("t", "c", "m", CallSums(calls=1, tokens=10, whole_tokens=30, cost=1))
        assert ledger.sums().calls == calls and ledger.sums().saved_tokens == 20 * calls
        assert [name for name, _ in ledger.by("conversation")] == ["c"]
        ledger.close()
    again = file_ledger(tmp_path / "ledger.sqlite")
    assert again.salt() == salt
    again.close()


def compress(url, body, headers=()):
    status, heads, text = post(url, body, headers, path="/v1/compress")
    return status, heads, json.loads(text)


def test_the_service_compresses_by_the_contract_of_guardrails():
    body = {"model": "gpt-5", "messages": LONG["messages"]}
    with proxied(spec=SPEC) as (upstream, proxy):
        status, headers, answer = compress(proxy.url, body)
        assert status == 200 and headers["x-contextwright-action"] == "rewritten"
        assert answer["messages"][0] == body["messages"][0]
        assert answer["tokens_after"] < 4000 < answer["tokens_before"]
        assert answer["tokens_saved"] == answer["tokens_before"] - answer["tokens_after"]
        assert 0 < answer["compression_ratio"] < 1 and answer["transforms_applied"]
        assert answer["ccr_hashes"] == [] and not upstream.seen


def test_messages_that_are_to_stay_stay():
    body = {"model": "gpt-5", "messages": LONG["messages"], "config": {"frozen_message_count": 5}}
    with proxied(spec=SPEC) as (_, proxy):
        _, headers, answer = compress(proxy.url, body)
        assert answer["messages"] == body["messages"] and answer["tokens_saved"] == 0
        assert "stay" in headers["x-contextwright-reason"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"model": "gpt-5"}, 400),
        ({"messages": LONG["messages"]}, 400),
        ([], 400),
        ({"model": "gpt-5", "messages": []}, 200),
        ({"model": "nobody-knows", "messages": LONG["messages"]}, 200),
        ({"model": "gpt-5", "messages": LONG["messages"], "token_budget": 9}, 200),
    ],
)
def test_what_the_service_can_not_compress_comes_back_or_is_refused(body, status):
    with proxied(spec=C.default()) as (_, proxy):
        answered, _, answer = compress(proxy.url, body)
        assert answered == status
        if status == 200:
            assert answer["messages"] == body["messages"]
            assert answer["ignored"] == [key for key in body if key == "token_budget"]


def test_the_service_goes_by_no_redaction():
    """What it gives back is what the caller sends on."""
    secret = {"role": "user", "content": "write to jo.doe@example.com"}
    body = {"model": "gpt-5", "messages": [secret, *LONG["messages"]]}
    frozen = {**body, "config": {"frozen_message_count": 3}}
    rows = {"user-agent": "litellm/1.0"}
    with proxied(spec=C.default() | C.redact("email")) as (_, proxy):
        for asked, headers in ((body, {"x-headroom-bypass": "true"}), (frozen, {}), (frozen, rows)):
            status, _, answer = compress(proxy.url, asked, headers)
            assert status == 200 and "jo.doe" not in json.dumps(answer)


@pytest.mark.parametrize(
    ("path", "body", "headers", "what"),
    [
        (
            "/v1/compress",
            gzip.compress(b"{}", mtime=0),
            {"content-encoding": "gzip"},
            "coded as 'gzip'",
        ),
        ("/v1/compress", b"{", {}, "no JSON"),
        ("/v1/compress", b"[1]", {}, "no JSON object"),
        ("/v1/usage", b"\xff", {}, "no JSON"),
        ("/v1/usage", b'{"model": "m", "usage": {"prompt_tokens": %d}}' % 2**70, {}, "usage"),
        ("/v1/usage", b'{"model": "m", "usage": {"prompt_tokens": -1}}', {}, "usage"),
    ],
)
def test_what_the_service_can_not_read_is_refused_by_name(path, body, headers, what):
    with proxied() as (_, proxy):
        status, _, answer = post(proxy.url, body, headers, path=path)
        assert status == 400 and what in json.loads(answer)["error"]["message"]


def test_results_without_their_calls_are_shortened_row_by_row():
    """As LiteLLM's guardrail sends them: what must stay, and the calls, are held back."""
    rows = [m for m in tool_loop(3, lines=300)["messages"] if m["role"] == "tool"]
    rows.insert(1, {"role": "user", "content": "long words of a user " * 999})
    body = {"model": "gpt-5", "messages": rows}
    with proxied(spec=SPEC) as (_, proxy):
        _, _, answer = compress(proxy.url, body)
        made = answer["messages"]
        assert [row["role"] for row in made] == [row["role"] for row in rows]
        assert made[1] == rows[1] and len(made[0]["content"]) < len(rows[0]["content"]) / 2
        assert answer["tokens_saved"] > 0 and answer["transforms_applied"] == ["shortened"]
        _, _, again = compress(proxy.url, {**body, "messages": rows[:2]})
        assert again["messages"] == made[:2]  # nothing that a provider has cached changes
        whole = {"model": "gpt-5", "messages": tool_loop(3, lines=300)["messages"]}
        _, _, kept = compress(proxy.url, whole, {"user-agent": "litellm/1.106.2"})
        assert len(kept["messages"]) == len(whole["messages"]) and kept["tokens_saved"] > 0


def test_a_body_that_is_sent_twice_saves_as_much_twice():
    """Who asks again, since an answer was lost, reads what it saves."""
    with proxied(spec=SPEC) as (_, proxy):
        _, _, first = compress(proxy.url, LONG)
        _, _, again = compress(proxy.url, LONG)
        assert first["tokens_saved"] > 0 and again == first
        small = {"model": "gpt-5", "messages": LONG["messages"][:3], "tools": LONG["tools"]}
        for _ in range(2):
            _, _, whole = compress(proxy.url, small)
            assert whole["tokens_before"] == whole["tokens_after"] > 0


def test_usage_is_counted_by_its_caller():
    body = {"model": "gpt-5", "usage": {"prompt_tokens": 11, "completion_tokens": 3}}
    with proxied() as (_, proxy):
        assert post(proxy.url, body, path="/v1/usage")[0] == 200
        assert post(proxy.url, {"model": "gpt-5"}, path="/v1/usage")[0] == 400
        sums = proxy.app.ledger.sums()
        assert (sums.calls, sums.billed_input, sums.billed_output) == (0, 11, 3)
