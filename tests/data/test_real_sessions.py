"""Real sessions that no one here wrote: every one compiles, within budget, for every provider."""

import re

import pytest

from contextwright import C, compile, read_session
from contextwright.errors import BudgetError
from contextwright.stores import Refs
from contextwright.testing import FORMATS, assert_valid, target_for

SPECS = (
    C.default(),
    C.window(5),
    C.default() | C.compact(),
    C.window(8) | C.compact() | C.dedup("structural") | C.redact(["email", "phone"]),
    C.recent(4) | C.truncate(200, strategy="bookend"),
    C.user_only() + C.select(type="tool_result") | C.compact("stale", stale_after=2),
    C.none(),
    C.default() | C.fresh(3, stale_action="compact"),
    C.default() | C.dedup(),
    C.select(role="user", position="first") + (C.window(3) | C.priority(1)),
    C.window(4) | C.priority(2) + C.default() | C.compact() | C.priority(3),
    C.default() | C.project(["id", "name", "status"]) | C.validate(["token_efficiency"]),
)
LIMITS = (500, 2_000, 8_000, 32_000)
FILES = (
    "beam_100k", "bfcl_memory", "intercode_sql", "locomo", "mtrag_un", "pi_coding", "qmsum",
    "se_agent", "sgd", "swe_agent", "tapeagents", "tau_bench_airline", "toolbench", "tooltalk",
    "webdancer", "who_when",
)  # fmt: skip


def session_of_row(row):
    """A session of a data row, or None for a row that is none."""
    if "speakers" in row:
        turns = [turn for part in row["sessions"] for turn in part["turns"]]
        messages = [{"speaker": turn["speaker"], "content": turn["text"]} for turn in turns]
        row = {"id": row["id"], "messages": messages}
    return read_session(row) if row.get("messages") else None


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_sessions_compile_under_a_dozen_specs_and_four_budgets(name, read_rows):
    """The first sessions of each file here; `python -m benchmarks.sweep` takes all."""
    compiled = 0
    for row in read_rows(name, limit=2):
        session = session_of_row(row)
        if session is None:
            continue
        for place, spec in enumerate(SPECS):
            for number, limit in enumerate(LIMITS):
                format = FORMATS[(place + number) % 4]
                whole = spec | (C.budget(limit) if place % 3 else C.fit(limit))
                compiled += _compiles(session, whole, format, limit)
    assert compiled >= 12


def _compiles(session, spec, format, limit):
    target = target_for(format, 1_000_000)
    try:
        pack = compile(session, spec, target=target)
    except BudgetError as error:
        assert limit < 8_000, error
        return 0
    assert_valid(pack, target)
    assert pack.tokens <= limit
    return 1


def test_every_ref_of_a_real_session_gives_the_original_bytes(read_rows):
    session = read_session(read_rows("tau_bench_airline", limit=1)[0])
    results = {result.text for event in session.log for result in event.results}
    pack = compile(session, C.default() | C.compact(), target=target_for("openai-chat"))
    refs = re.findall(r"\[full output: (\S+), ", pack.body.decode())
    assert len(refs) > 3
    for ref in refs:
        whole = Refs(session.snapshot()).read(ref)
        assert whole in results or whole == session.snapshot().event(ref[8:]).text


def test_billed_tokens_of_a_real_session_are_within_the_estimate(read_rows):
    """pi_coding was billed by Anthropic for Claude Sonnet 4.5: our count is not below it."""
    row = read_rows("pi_coding")[0]
    session = read_session(row)
    ratios = []
    for position, message in enumerate(row["messages"]):
        usage = message.get("usage")
        if message["role"] != "assistant" or not usage or not usage["input"] or position > 60:
            continue
        billed = usage["input"] + usage["cacheRead"] + usage["cacheWrite"]
        snapshot = session.snapshot_at(position, 0)
        pack = compile(snapshot, target=target_for("anthropic", 1_000_000))
        ratios.append((pack.tokens, billed))
    growth = [(b - a, d - c) for (a, c), (b, d) in zip(ratios, ratios[1:], strict=False)]
    counted = sum(ours for ours, theirs in growth if theirs > 0)
    charged = sum(theirs for ours, theirs in growth if theirs > 0)
    assert 0.95 < counted / charged < 1.6
