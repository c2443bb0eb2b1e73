"""Whether the oldest versions that an extra allows work: `make lowest` asks.

python scripts/lowest.py [EXTRA ...]   all extras where none is named; `core` is none

Makes an environment for each beneath .venv-lowest, with what the project names itself at its oldest
version, imports what the extra is for, and plays its tests. uv has to be installed.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".venv-lowest"
TOOLS = ["pytest", "hypothesis", "rfc8785", "google-re2"]
TOOLS += ["openai", "anthropic", "google-genai", "aiosqlite"]
"""What the tests import, at any version that goes with the oldest."""
MORE_TOOLS = {
    "agent-framework": ["agent-framework-openai"],
    "langchain": ["langchain-openai", "langchain-anthropic"],
    "litellm": ["fastapi"],
    "llama-index": ["llama-index-llms-openai", "llama-index-llms-anthropic"],
    "otel": ["opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http"],
    "pydantic-ai": ["pydantic-ai-slim[openai,anthropic]"],
    "s3": ["moto[s3]", "flask", "flask-cors"],
    "strands": ["strands-agents[openai,anthropic]"],
}
HOMES = {
    "adk": ("adapters.adk", "adapters/adk"),
    "anthropic": ("adapters.wrapped_client", "adapters/test_clients.py"),
    "core": ("cli.compile_command", "session"),
    "corpus": ("retrieval.tantivy_index", "retrieval/test_tantivy_index.py"),
    "embed": ("retrieval.sentence_embedder", "retrieval/test_sentence_embedder.py"),
    "embed-static": ("retrieval.static_embedder", "retrieval/test_index.py"),
    "google": ("adapters.wrapped_client", "adapters/test_clients.py"),
    "llm": ("models.provider_llm", "models/test_provider_llm.py"),
    "mcp": ("serve.mcp_tools", ""),
    "openai": ("adapters.wrapped_client", "adapters/test_clients.py"),
    "otel": ("adapters.opentelemetry", "adapters/test_opentelemetry.py"),
    "postgres": ("stores.postgres", ""),
    "redact": ("redaction.user_patterns", "redaction"),
    "redis": ("stores.redis", ""),
    "s3": ("stores.object_artifacts", "stores/test_object_artifacts.py"),
    "serve": ("serve.app", "serve/test_content_codings.py"),
    "sweep": ("sweep.arrow", "sweep/test_run_sweep.py"),
    "sweep-daft": ("sweep.sweep_engines", ""),
    "sweep-ray": ("sweep.sweep_engines", ""),
    "test": ("testing", ""),
    "tiktoken": ("tokens.vocabulary", "tokens/test_vocabulary.py"),
    "tune": ("tune.study", "tune"),
}
"""What an extra is for, and its tests; any other's is the adapter of its name."""


def main(*extras: str) -> None:
    """Try them, name those that do not work, and end with 1 where there is one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = ["core", *project["optional-dependencies"]]
    if wrong := set(extras) - set(known):
        raise SystemExit(f"no extra {', '.join(sorted(wrong))}; known: {', '.join(known)}")
    broken = [each for each in extras or known if not works(each)]
    print(f"do not work: {', '.join(broken)}" if broken else "all work")
    sys.exit(bool(broken))


def works(extra: str) -> bool:
    """Whether it installs, is imported, and its tests pass."""
    print(f"== {extra}", flush=True)
    folder = FOLDER / extra
    python = str(folder / "bin/python")
    module = re.sub(r"\W", "_", extra)
    home, tests = HOMES.get(extra, (f"adapters.{module}", f"adapters/test_{module}.py"))
    project = str(ROOT) if extra == "core" else f"{ROOT}[{extra}]"
    install = ["uv", "pip", "install", "--quiet", "--python", python]
    steps = [
        ["uv", "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)],
        [*install, "--resolution", "lowest-direct", "-e", project],
        [python, "-c", f"import contextwright.{home}"],
    ]
    if tests:
        # with the project, so that nothing that it names goes past its bounds
        steps.append([*install, "-e", project, *TOOLS, *MORE_TOOLS.get(extra, [])])
        steps.append([python, "-m", "pytest", "-q", "-m", "not slow", f"tests/{tests}"])
    return all(subprocess.call(each, cwd=ROOT) == 0 for each in steps)  # noqa: S603 -- our own


if __name__ == "__main__":
    main(*sys.argv[1:])
