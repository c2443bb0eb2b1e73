"""Make src/contextwright/tokens/data/models.json anew from LiteLLM's table.

pip download --no-deps litellm -d /tmp/litellm
python scripts/refresh_models.py /tmp/litellm/litellm-*.whl
"""

import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

PROVIDERS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "google",
    "vertex_ai-language-models": "google",
    "mistral": "mistral",
    "deepseek": "deepseek",
    "xai": "xai",
    "dashscope": "qwen",
    "meta_llama": "meta",
    "moonshot": "moonshot",
    "cohere_chat": "cohere",
}
OPEN = {"groq/openai/gpt-oss-20b", "groq/openai/gpt-oss-120b"}
"""OpenAI's open models, which others serve; no two of them ask the same."""
INPUT_ONLY = {272_000, 922_000}
INPUT_AND_ANSWER = {400_000, 1_050_000}
ABOVE = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
CORRECTED = {"claude-mythos-preview": {"prompt_cache_min_tokens": 2048}}
"""What the providers' own pages have otherwise: Anthropic, "Prompt caching"."""
OUT = Path(__file__).parents[1] / "src/contextwright/tokens/data/models.json"


def row(info: dict[str, Any]) -> list[Any]:
    """Provider, window, largest answer, largest input, the least that is cached, and the prices:
    from 0 tokens on, and above each length where they change."""
    provider = PROVIDERS[info["litellm_provider"]]
    largest = info.get("max_output_tokens") or 4096
    window = largest_input = info["max_input_tokens"]
    # OpenAI refuses an input above the window less the answer for these; the table has the one
    # number for some, the other for the rest.
    if provider == "openai" and window in INPUT_ONLY:
        window += largest
    elif provider == "openai" and window in INPUT_AND_ANSWER:
        largest_input = window - largest
    lengths = sorted(int(found[1]) * 1000 for key in info if (found := ABOVE.fullmatch(key)))
    prices = [_prices(info, "", 0)]
    prices += [_prices(info, f"_above_{length // 1000}k_tokens", length) for length in lengths]
    for tier in info.get("tiered_pricing") or ():
        above = round(tier["range"][0])
        prices = [*(one for one in prices if one[0] < above), _prices(tier, "", above)]
    least = int(info.get("prompt_cache_min_tokens", 0))
    return [provider, window, largest, largest_input, least, prices]


def _prices(info: dict[str, Any], suffix: str, above: int) -> list[int]:
    """Above how many tokens; then micro-dollars a million tokens of input, of input that a cache
    has, of what it writes, of what it writes for long, and of the answer."""

    def price(*keys: str) -> int:
        values = (info.get(key + suffix) for key in keys)
        return round(next((value for value in values if value), 0) * 1e12)

    whole = "input_cost_per_token"
    write = "cache_creation_input_token_cost"
    read = price(whole)
    # nobody writes for less than is asked for reading; where the table says so, it is storage
    written = max(read, price(write, whole))
    long = max(written, price(f"{write}_above_1hr", f"{write}_above_12hr", write, whole))
    cached = price("cache_read_input_token_cost", whole)
    return [above, read, cached, written, long, price("output_cost_per_token")]


def main(wheel: str) -> None:
    """Write the snapshot."""
    with zipfile.ZipFile(wheel) as archive:
        table = json.loads(archive.read("litellm/model_prices_and_context_window_backup.json"))
    models: dict[str, list[Any]] = {}
    for name, info in table.items():
        if name in OPEN:
            info = {**info, "litellm_provider": "openai"}
        known = info.get("litellm_provider") in PROVIDERS and info.get("max_input_tokens")
        if info.get("mode") in {"chat", "responses"} and known:
            bare = name.rpartition("/")[2].lower()
            models.setdefault(bare, row({**info, **CORRECTED.get(bare, {})}))
    version = re.search(r"litellm-([\d.]+)-", wheel)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(models[name])}" for name in sorted(models))
    source = f"litellm {version[1] if version else 'unknown'}"
    # what providers' pages say of whole families is kept by hand, in the same file
    families = json.loads(OUT.read_text())["families"]
    kept = ",\n".join(map(json.dumps, families))
    OUT.write_text(
        f'{{"source": "{source}", "families": [\n{kept}\n],\n"models": {{\n{lines}\n}}}}\n'
    )
    print(f"{len(models)} models from {source}")


if __name__ == "__main__":
    main(sys.argv[1])
