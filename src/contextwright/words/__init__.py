"""`C`: a line a word. What a word means stands in its file under `atoms/`."""

from collections.abc import Callable

from contextwright.spec.expr import Expr
from contextwright.spec.parse import parse_spec
from contextwright.words.budget import LimitWords
from contextwright.words.compress import CompressWords
from contextwright.words.molecules import Molecules
from contextwright.words.packs import PackWords
from contextwright.words.select import SelectWords
from contextwright.words.write import WriteWords


class C(SelectWords, PackWords, CompressWords, WriteWords, LimitWords, Molecules):
    """Context atoms. `+` unites, `|` pipes, `.or_else` falls back; nothing runs until a compile.

    >>> C.window(n=5) | C.compact() | C.priority(tier=2)
    C.window() | C.compact() | C.priority(tier=2)
    """


WORDS: dict[str, Callable[..., Expr]] = {
    name: getattr(C, name)
    for part in C.__mro__[1:-1]
    for name in vars(part)
    if not name.startswith("_")
}
"""The words that a spec in text may use."""


def parse(text: str) -> Expr:
    """The spec that an expression says, such as `C.window(n=5) | C.compact()`. Nothing is
    evaluated.

    Raises:
        SpecError: anything but words of `C`, operators and literals.
    """
    return parse_spec(text, WORDS)
