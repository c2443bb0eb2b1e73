"""An adapter is thin: what all of them do is the port's."""

import ast
from pathlib import Path

import pytest

import contextwright.adapters as adapters

HOME = Path(adapters.__file__).parent
MOST = 150
"""Lines of code of an adapter, a hook with all that it stands on in its folder: without blank lines,
comments and documentation."""
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


def imported(path: Path) -> set[Path]:
    """The modules of its folder that a module stands on, itself among them."""
    found, left = set[Path](), [path]
    while left:
        module = left.pop()
        if module in found:
            continue
        found.add(module)
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                beside = module.parent / f"{node.module.rpartition('.')[2]}.py"
                left += [beside] if beside.exists() and module.parent.name in node.module else []
    return found


def hooks_of(folder: Path) -> list[Path]:
    """The modules that users import from: each is an adapter, with what it stands on."""
    modules = modules_of(folder)
    used = {each for path in modules for each in imported(path) - {path}}
    return [path for path in modules if path not in used]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_adapter_is_thin(folder: Path):
    if folder.name in NO_ADAPTER:
        return
    for hook in hooks_of(folder):
        assert sum(map(lines_of_code, imported(hook))) <= MOST, hook
    for path in modules_of(folder):
        assert len(path.read_text().splitlines()) <= MOST, path


def test_every_module_belongs_to_an_adapter():
    for folder in FOLDERS:
        if folder.name not in NO_ADAPTER:
            whole = {path for hook in hooks_of(folder) for path in imported(hook)}
            assert whole == set(modules_of(folder)), folder


def test_folders_of_several_adapters_are_few():
    """One folder may hold several hooks of a framework, each an adapter of its own; which do is
    said here, so that none is split for the count."""
    several = {
        folder.name: len(hooks_of(folder))
        for folder in FOLDERS
        if folder.name not in NO_ADAPTER and len(hooks_of(folder)) > 1
    }
    assert several == {"inspect_ai": 2, "langchain": 2, "openai_agents": 3}


def test_the_port_and_what_wraps_clients_are_thin():
    for path in HOME.glob("*.py"):
        if path.name != "opentelemetry.py":  # it exports spans, and is nobody's loop
            assert lines_of_code(path) <= MOST, path


def test_what_google_adk_shares_with_the_others_is_thin():
    for name in ("mirror", "agent_engines", "beside_conversation", "reading"):
        assert lines_of_code(HOME / f"adk/{name}.py") <= MOST
