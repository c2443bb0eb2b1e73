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
INPUT_ONLY = {272_000, 922_000}
INPUT_AND_ANSWER = {400_000, 1_050_000}
OUT = Path(__file__).parents[1] / "src/contextwright/tokens/data/models.json"


def row(info: dict[str, Any]) -> list[Any]:
    """Provider, window, largest answer, prices in micro-dollars a million tokens, largest input."""

    def price(key: str, otherwise: str = "input_cost_per_token") -> int:
        value = info.get(key, info.get(otherwise)) or 0
        return round(value * 1e12)

    provider = PROVIDERS[info["litellm_provider"]]
    largest = info.get("max_output_tokens") or 4096
    window = largest_input = info["max_input_tokens"]
    # OpenAI refuses an input above the window less the answer for these; the table has the one
    # number for some, the other for the rest.
    if provider == "openai" and window in INPUT_ONLY:
        window += largest
    elif provider == "openai" and window in INPUT_AND_ANSWER:
        largest_input = window - largest
    return [
        provider,
        window,
        largest,
        price("input_cost_per_token"),
        price("cache_read_input_token_cost"),
        price("cache_creation_input_token_cost"),
        price("output_cost_per_token", "output_cost_per_token"),
        largest_input,
    ]


def main(wheel: str) -> None:
    """Write the snapshot."""
    with zipfile.ZipFile(wheel) as archive:
        table = json.loads(archive.read("litellm/model_prices_and_context_window_backup.json"))
    models: dict[str, list[Any]] = {}
    for name, info in table.items():
        known = info.get("litellm_provider") in PROVIDERS and info.get("max_input_tokens")
        if info.get("mode") in {"chat", "responses"} and known and not name.startswith("ft:"):
            models.setdefault(name.rpartition("/")[2].lower(), row(info))
    version = re.search(r"litellm-([\d.]+)-", wheel)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(models[name])}" for name in sorted(models))
    source = f"litellm {version[1] if version else 'unknown'}"
    OUT.write_text(f'{{"source": "{source}", "models": {{\n{lines}\n}}}}\n')
    print(f"{len(models)} models from {source}")


if __name__ == "__main__":
    main(sys.argv[1])
