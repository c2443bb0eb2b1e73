"""An adapter is thin: what all of them do is the port's."""

import ast
from pathlib import Path

import pytest

import contextwright.adapters as adapters

HOME = Path(adapters.__file__).parent
MOST = 150
"""Lines of code of an adapter: without blank lines, comments and documentation."""
LONGER: dict[str, tuple[int, str]] = {
    "inspect_ai": (200, "two hooks, a strategy and a model, of 150 each with what both need"),
    "langchain": (190, "middleware, a hook for other graphs, and tools that know their run"),
    "openai_agents": (200, "a filter, a model, a provider and a session"),
    "pydantic_ai": (180, "messages of parts in two classes, of which one is several messages"),
}
NO_ADAPTER = {
    "adk": "packs, state, services, premises, a fluent layer; its port is held below",
    "wrap": "`wrap` of whole agents",
}


def lines_of_code(path: Path) -> int:
    text = path.read_text()
    said = {
        number
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for number in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    return sum(1 for n, line in lines if line and not line.startswith("#") and n not in said)


def modules_of(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.py") if path.name != "__init__.py"]


FOLDERS = sorted(path.parent for path in HOME.glob("*/__init__.py"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_adapter_is_thin(folder: Path):
    if folder.name in NO_ADAPTER:
        return
    most, _ = LONGER.get(folder.name, (MOST, ""))
    assert sum(map(lines_of_code, modules_of(folder))) <= most
    for path in modules_of(folder):
        assert len(path.read_text().splitlines()) <= MOST, path


def test_an_exception_is_one():
    for name in LONGER:
        assert sum(map(lines_of_code, modules_of(HOME / name))) > MOST, f"{name} needs none"


def test_the_port_and_what_wraps_clients_are_thin():
    for path in HOME.glob("*.py"):
        if path.name != "opentelemetry.py":  # it exports spans, and is nobody's loop
            assert lines_of_code(path) <= MOST, path


def test_what_google_adk_shares_with_the_others_is_thin():
    for name in ("mirror", "agent_engines", "beside_conversation", "reading"):
        assert lines_of_code(HOME / f"adk/{name}.py") <= MOST
