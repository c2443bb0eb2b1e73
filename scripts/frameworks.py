"""What belongs to an environment of frameworks: `make test-frameworks` and `make adapters` ask.

python scripts/frameworks.py tests GROUP     its test files, one a line
python scripts/frameworks.py drivers GROUP   the modules that drive its agents, for adapter_table.py
python scripts/frameworks.py types GROUP     a configuration of pyright for its adapters, written
                                             into the environment; prints its path

GROUP is a dependency group of pyproject.toml; `test` has all that no other group has.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from contextwright.adapters.catalogue import AdapterEntry, adapters

ROOT = Path(__file__).parents[1]
GROUPS = ("frameworks", "frameworks-two")
"""The groups that do not install beside `test`, nor beside each other."""
PAGES = "tests/docs/test_frameworks.py"
PEERS = {"frameworks": ["tests/serve/test_peer_clients.py"]}
"""Tests by clients that are in a group, and are no adapter's."""
SHARED = {
    "frameworks-two": [
        "tests/adapters/test_redacted_files.py",
        "tests/adapters/test_result_media.py",
        "tests/adapters/test_turn_taking.py",
    ]
}
"""Tests of several adapters at once, some of which are in a group."""
_DRIVER = re.compile(r"tests\.adapters\.drivers\.(\w+)")


def main(what: str, group: str) -> None:
    """Print it."""
    if what == "types":
        print(written_configuration(group))
        return
    files = tests_of(group)
    if what == "drivers":
        found = {name for file in files for name in _DRIVER.findall(file.read_text())}
        print(*sorted(found), sep="\n")
    else:
        own = (file.relative_to(ROOT) for file in files)
        print(*own, *SHARED.get(group, ()), PAGES, *PEERS.get(group, ()), sep="\n")


def tests_of(group: str) -> list[Path]:
    """The files in which the adapters of a group are played."""
    if group == "test":
        others = {file for each in GROUPS for file in tests_of(each)}
        return sorted(set((ROOT / "tests/adapters").glob("test_*.py")) - others)
    files: list[Path] = []
    for entry in entries_of(group):
        names = (entry.package.replace("-", "_"), entry.module)
        paths = [ROOT / f"tests/adapters/test_{name}.py" for name in names]
        files += [path for path in paths if path.exists()][:1]
    return sorted(set(files))


def entries_of(group: str) -> list[AdapterEntry]:
    """The adapters whose packages a group names."""
    requirements = _pyproject()["dependency-groups"][group]
    named = [each for each in requirements if isinstance(each, str)]
    packages = {re.split(r"[\[<>=~! ]", text)[0].lower() for text in named}
    return [entry for entry in adapters() if entry.package in packages]


def written_configuration(group: str) -> Path:
    """A configuration of pyright for what is not checked beside the group `test`."""
    settings: dict[str, Any] = _pyproject()["tool"]["pyright"]
    ignored = {Path(path).name: path for path in settings.pop("ignore")}
    modules = [entry.module for entry in entries_of(group)]
    settings["include"] = [f"../{ignored[name]}" for name in modules if name in ignored]
    if not settings["include"]:
        raise SystemExit(f"{group} has no adapter that pyright ignores beside the group `test`")
    settings["extraPaths"] = ["../src"]
    path = ROOT / f".venv-{group}/pyrightconfig.json"
    path.write_text(json.dumps(settings, indent=1))
    return path.relative_to(ROOT)


def _pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


if __name__ == "__main__":
    main(*sys.argv[1:])
