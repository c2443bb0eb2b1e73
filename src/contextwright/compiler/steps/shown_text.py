"""What a request says anyway: an index of a note need not name it again."""

import re
from collections.abc import Sequence
from functools import cached_property

from contextwright.memo.ownership import cached_in_passing

_RUN = re.compile(r"[\w./@#-]{3,}")
_is_run = _RUN.fullmatch


class ShownText:
    """Texts in which words are looked for, hundreds of them. A word of the signs that runs are made
    of stands within one run: so the different runs are looked at, a fraction of the texts.

    Args:
        texts: what is shown; none of them goes on in the next.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._runs = frozenset[str]().union(*map(_runs, texts))
        self._joined = " ".join(self._runs)

    def says(self, word: str) -> bool:
        """Whether a word stands in one of the texts, or within a word of it."""
        if word in self._runs:
            return True
        if _is_run(word):
            return word in self._joined
        return word in self._whole

    @cached_property
    def _whole(self) -> str:
        return "\n".join(self._texts)


@cached_in_passing
def _runs(text: str) -> frozenset[str]:
    return frozenset(_RUN.findall(text))
