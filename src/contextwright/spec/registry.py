"""Words by their names, imported when they are first asked for: a spec costs the words in it."""

import pkgutil
from collections.abc import Iterator, MutableMapping
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

HOME = "contextwright.atoms"
W = TypeVar("W")


class Registry(MutableMapping[str, type[W]]):
    """What defines words puts them in; a word that is not in yet is looked for in the file of its
    name below `contextwright.atoms`, then in all files there."""

    def __init__(self) -> None:
        self._words: dict[str, type[W]] = {}

    def __getitem__(self, word: str) -> type[W]:
        if word not in self._words and word in _files():
            import_module(_files()[word])
        if word not in self._words:
            _import_all()
        return self._words[word]

    def __setitem__(self, word: str, struct: type[W]) -> None:
        self._words[word] = struct

    def __delitem__(self, word: str) -> None:
        del self._words[word]

    def __iter__(self) -> Iterator[str]:
        _import_all()
        return iter(list(self._words))

    def __len__(self) -> int:
        _import_all()
        return len(self._words)


@cache
def _files() -> dict[str, str]:
    """The modules below `contextwright.atoms`, by the last part of their names."""
    package: Any = import_module(HOME)
    modules = pkgutil.walk_packages(package.__path__, f"{HOME}.")
    return {module.name.rpartition(".")[2]: module.name for module in modules if not module.ispkg}


@cache
def _import_all() -> None:
    for name in _files().values():
        import_module(name)
