"""What a page is promised of every manifest holds for every format and every counter: parts sum to
the whole, every block has its row, every loss its cause and price, every text is what was sent."""

import json

import pytest
from tests.inspect.builders import (
    data_of,
    requests_in,
    sizes_in,
    stock_session,
    support_session,
    text_in,
)
from tests.parameters import few

from contextwright import C, target
from contextwright.engine.engine import memo_of
from contextwright.inspect.call_moments import call_moments
from contextwright.inspect.fates import FATES
from contextwright.inspect.request_parts import request_parts, tool_names
from contextwright.inspect.series import LAYERS, SpecRun
from contextwright.testing import FORMATS

SESSIONS = {"support": support_session(4), "parallel": stock_session()}
SPECS = (
    "C.default() | C.compaction(2600)",
    "C.window(n=2) | C.compact(min_tokens=40) | C.budget(2600)",
)
MODELS = {
    "o200k": "gpt-5",
    "cl100k": "gpt-4",
    "claude": "claude-sonnet-4-5",
    "claude-new": "claude-opus-4-7",
    "gemini": "gemini-2.5-pro",
    "llama": "llama-3.1-70b-instruct",
    "qwen": "qwen3-32b",
    "deepseek": "deepseek-v3",
    "mistral": "mistral-nemo",
    "glm": "glm-4-9b",
    "kimi": "kimi-k2",
    "phi": "phi-4",
    "unknown": "somebody-s-own-model",
}
CAUSES = {"step", "spec", "selection", "state", "tools", "instruction", "layout", "clock"}


def series_of(name, spec, model, format):
    """A page's data of one spec, its columns, and the calls that they are made of."""
    session, options = SESSIONS[name], {"format": format, "window": 200_000}
    data = data_of(session, (spec,), model, **options)
    run = SpecRun(session, eval(spec, {"C": C}), target(model, **options), memo_of(session.log))
    return data, data["series"][0], [run.compiled(call) for call in call_moments(session)]


PAIRS = sorted(
    {(counter, FORMATS[at % len(FORMATS)]) for at, counter in enumerate(MODELS)}
    | {(counter, format) for counter in ("o200k", "claude") for format in FORMATS}
)
"""Each counter with a format, and two of them, one exact and one that estimates, with all."""


@pytest.mark.parametrize(("counter", "format"), PAIRS)
@pytest.mark.parametrize("spec", few(SPECS, 1))
def test_the_parts_are_the_whole(spec, counter, format):
    for name in SESSIONS:
        data, series, calls = series_of(name, spec, MODELS[counter], format)
        assert len(calls) == len(data["calls"]["position"]) and not series["errors"]
        for at, call in enumerate(calls):
            manifest, layers = (
                call.pack.manifest,
                {one: series["layers"][one][at] for one in LAYERS},
            )
            assert sum(layers.values()) == series["tokens"][at] == manifest.tokens
            assert min(layers.values()) >= 0 and series["tokens"][at] <= series["budget"][at]
            rows = sum(sizes_in(series)[at].values())
            engine = sum(block.tokens for block in manifest.kept if block.order < 0)
            assert rows + engine == sum(
                layers[one] for one in ("note", "text", "earlier", "running")
            )
            assert 0 <= series["read"][at] <= series["tokens"][at]
            assert 0 <= series["prefix"][at] <= series["tokens"][at]
            assert (series["cost"][at] > 0) == bool(data["target"]["prices"])


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("model", [MODELS["o200k"], MODELS["claude"], MODELS["unknown"]])
@pytest.mark.parametrize("spec", SPECS)
def test_every_block_loss_and_text_says_what_it_is(spec, model, format):
    for name in SESSIONS:
        data, series, calls = series_of(name, spec, model, format)
        blocks, rows = data["blocks"], len(data["blocks"]["id"])
        assert {len(column) for column in blocks.values()} == {rows}
        assert all(blocks["who"]) and set(blocks["role"]) <= {"user", "assistant", "tool"}
        for at, items in enumerate(requests_in(series)):
            request = calls[at].pack.request
            parts = [data["parts"][item] for item in items if item >= 0]
            sent = [part.text for part in request_parts(request)]
            assert [plain(text_in(data, part[3])) for part in parts] == list(map(plain, sent))
            carried = {part[2] for part in parts if part[2] >= 0}
            assert carried == set(sizes_in(series)[at])
        trust = dict(zip(blocks["id"], blocks["trust"], strict=True))
        for at, call in enumerate(calls):
            assert all(one.trust == trust.get(one.id, one.trust) for one in call.pack.manifest.kept)
            given = [names for since, names in series["tools"] if since <= at][-1]
            assert given == [one for one, _ in tool_names(call.pack.request)]
        for at, loss in series["losses"]:
            assert loss["cause"] in CAUSES and loss["tokens"] > 0 and loss["piece"]
            assert ("microdollars" in loss) == bool(data["target"]["prices"])
            if loss["cause"] == "step":
                assert loss["step_number"] >= 1 and "C.compaction" in loss["step"]
        for runs in series["fates"]:
            for fate, why in zip(runs[1::3], runs[2::3], strict=True):
                step, _, what = series["why"][why]
                assert what and (bool(step) or FATES[fate] in {"raw", "dropped"})
        for _, made in series["engine"]:
            assert all(id and tokens > 0 and source for id, tokens, _, _, _, source in made)


def plain(text):
    """A text; JSON as its value, however its keys are ordered."""
    try:
        return json.loads(text)
    except ValueError:
        return text
