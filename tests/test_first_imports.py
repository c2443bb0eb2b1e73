"""Imports that come first from several threads at once: none waits for another in a circle.

A module that is imported waits for the package that it stands in, and for what it imports. Where a
package imports its own modules, two threads can wait for each other; Python ends that by an error,
or shows one of them half of a module. So no wait may lead back to where it began.
"""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import contextwright

ROOT = Path(contextwright.__file__).parents[1]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "contextwright").rglob("*.py"))
}
ADAPTERS = "contextwright.adapters."
"""Each is one door: nobody but its package imports what is in it, whose lock comes first then."""


def at_import(tree):
    """The imports that run when a module is imported."""
    rest = list(tree.body)
    while rest:
        node = rest.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.If):
            rest += [
                *([] if "TYPE_CHECKING" in ast.unparse(node.test) else node.body),
                *node.orelse,
            ]
        elif isinstance(node, (ast.Try, ast.With)):
            rest += node.body


def named_in(tree):
    """The whole names of what a module imports when it is imported, and where a lazy name is."""
    for node in at_import(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif node.module:
            yield node.module
            for one in node.names:
                yield f"{node.module}.{one.name}"
                home = HOMES.get((node.module, one.name))
                if home:
                    yield home


def lazy_homes():
    """(package, name) -> the module that is imported when the name is asked for."""
    homes = {}
    for package, path in MODULES.items():
        if path.name != "__init__.py" or package.startswith(ADAPTERS):
            continue
        for block in ast.parse(path.read_text()).body:
            if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
                for node in block.body:
                    homes |= {(package, one.name): node.module for one in node.names}
    return homes


HOMES = lazy_homes()


def waits():
    """Module -> modules that it waits for."""
    graph = {}
    for name, path in MODULES.items():
        named = set(named_in(ast.parse(path.read_text()))) & set(MODULES)
        graph[name] = (named | {name.rpartition(".")[0]} & set(MODULES)) - {name}
    return graph


def test_no_import_waits_in_a_circle():
    graph = {
        name: {one for one in ahead if not one.startswith(ADAPTERS)}
        for name, ahead in waits().items()
        if not name.startswith(ADAPTERS)
    }
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" waits for ".join(reversed(error.args[1])))


def test_an_adapters_modules_are_imported_by_their_package_alone():
    for name, ahead in waits().items():
        for one in ahead:
            inner = one.removeprefix(ADAPTERS).split(".")
            if one.startswith(ADAPTERS) and len(inner) > 1:
                assert name.startswith(f"{ADAPTERS}{inner[0]}"), f"{name} imports {one}"


@pytest.mark.parametrize("name", MODULES)
def test_msgspec_is_imported_before_what_is_in_it(name):
    """It imports its own modules: who begins with one of them waits for it, and it for them."""
    for node in ast.parse(MODULES[name].read_text()).body:
        if isinstance(node, ast.Import) and node.names[0].name == "msgspec":
            return
        assert not getattr(node, "module", "") or not node.module.startswith("msgspec.")


def test_a_lazy_name_is_none_of_a_module_beside_it():
    """The module would be found in its place, once it was imported."""
    named = [f"{package}.{name}" for package, name in HOMES]
    assert [one for one in named if one in MODULES] == []


AT_ONCE = """
import sys, threading, traceback
from importlib import import_module
import contextwright

sys.setswitchinterval(1e-6)
names, failed = sys.argv[1:], []
begin = threading.Barrier(len(names))

def work(name):
    begin.wait()
    try:
        import_module(name) if "." in name else getattr(contextwright, name)
    except BaseException:
        failed.append(traceback.format_exc())

threads = [threading.Thread(target=work, args=(name,)) for name in names]
[one.start() for one in threads]
[one.join() for one in threads]
sys.exit("".join(failed) or None)
"""
CODE = (
    "contextwright.compiler.spec_compiler", "contextwright.session.exchange",
    "contextwright.blocks.speaker", "contextwright.compiler.steps.note_rules",
    "contextwright.stores.row_sessions", "contextwright.check.limits",
    "contextwright.render.text", "contextwright.compiler.step_near",
    "contextwright.spec.inputs", "contextwright.models.claims",
    "contextwright.session.event_json", "contextwright.blocks.layering",
)  # fmt: skip
NAMES = (
    "Replace", "DataSubject", "record", "Compiler", "checkpoint", "memory", "BudgetError", "parse",
)  # fmt: skip


@pytest.mark.parametrize("names", [CODE, NAMES], ids=["modules", "names"])
def test_what_many_threads_import_first_is_there(names):
    code = [sys.executable, "-c", AT_ONCE, *names]
    ended = subprocess.run(code, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
