"""What of a conversation a request tells in a note, where it is not sent (rules.md#left-out)."""

from collections.abc import Iterator

import msgspec

from contextwright.compiler.horizon import conversation_terms
from contextwright.spec.expr import Atom, Expr, Fallback, Pipe, Union, When
from contextwright.spec.terminal import Drop, ModelWindow, Terminal
from contextwright.spec.traits import View
from contextwright.spec.word_roles import Guard


class Noted(msgspec.Struct, frozen=True):
    """What a note is told of.

    Args:
        words: behind which it is told, of those that look at an exchange alone.
        as_brought: whether only of what the limit was given, as it was given: a window, or what a
            summary has not.
        window: tokens of all exchanges of a word that lets others go in steps of its own.
    """

    words: tuple[Atom, ...] = ()
    as_brought: bool = False
    window: int = 0

    def behind(self, redactions: tuple[Guard, ...]) -> "Noted":
        """The same, of exchanges as they are brought and as words leave them without what these
        redact; what windows bring a limit is so already."""
        if self.as_brought:
            return self
        return msgspec.structs.replace(self, words=(*redactions, *self.words, *redactions))


def noted_by(
    body: Expr, terminal: Terminal | None, view: View, *, brings_part: bool
) -> Noted | None:
    """What a note is told of; None where a spec leaves none. What a limit that goes down in steps
    drops is told, and what a window in tokens lets go, of the whole conversation, which words
    shorten or thin out to win room, or of windows of it. What is left out to be out of sight is
    not.

    Args:
        body: what brings the blocks. terminal: what limits them; None for the model's window.
        view: how far back a compile looks.
        brings_part: whether windows, or what lies behind a summary, are a part of the body.
    """
    terminal = terminal or ModelWindow()
    steps_down = any(isinstance(one, Drop) for one in terminal.stages) and terminal.step_low > 0
    if _chooses(body):
        return None
    terms = list(conversation_terms(body)) or list(_sliding_terms(body))
    if len(terms) == 1 and all(one.traits.maps or one.traits.notable for one in terms[0]):
        words = tuple(one for one in terms[0] if one.traits.maps)
        window = max((one.traits.window for one in terms[0]), default=0)
        return Noted(words, window=window) if steps_down or window else None
    return Noted(as_brought=True) if steps_down and view == "all" and brings_part else None


def _sliding_terms(expr: Expr, behind: tuple[Atom, ...] = ()) -> Iterator[tuple[Atom, ...]]:
    """The steps of each term that begins with a window in tokens."""
    if isinstance(expr, Union):
        for term in expr.terms:
            yield from _sliding_terms(term, behind)
    elif isinstance(expr, Pipe):
        yield from _sliding_terms(expr.head, (*expr.steps, *behind))
    elif isinstance(expr, Atom) and expr.traits.window:
        yield (expr, *behind)


def _chooses(expr: Expr) -> bool:
    """Whether a spec brings one of several terms."""
    if isinstance(expr, Pipe):
        return _chooses(expr.head)
    if isinstance(expr, Union):
        return any(map(_chooses, expr.terms))
    return isinstance(expr, Fallback | When)
