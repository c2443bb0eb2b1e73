"""`C.vary(seed)`: the same content in another form from turn to turn
(phased-injection.md#variation)."""

import re
from hashlib import sha256
from typing import ClassVar

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import CacheClass
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.traits import Traits

BULLETS = ("- ", "* ", "\u2022 ", "  - ")
LABELS = ("Progress:", "Status:", "Current state:")
NUMBERS = ("{}. ", "{}) ", "({}) ")
SEPARATORS = ("\n", "\n\n", "\n---\n", "\n***\n", "\n===\n")
_BULLET = re.compile(r"^[-*\u2022] ", re.MULTILINE)
_NUMBER = re.compile(r"^(\d{1,3})[.)] ", re.MULTILINE)
_PROGRESS = re.compile(
    r"\b(?:Progress|Status|Current state): (\d{1,6})/(\d{1,6})(?: steps?)?(?: completed| done)?"
)
_MACHINE = re.compile(
    r"^(?:[+@]|---|\*\*\*|```|~~~|diff |[ \t]*[\w.-]+:[ \t]*$|[ \t]*- [\w.-]+:(?:\s|$))"
    r"|[{};=<>]|\w\(",
    re.MULTILINE,
)
"""A diff, YAML, a fence, code: signs that are no bullets. What is not plainly prose stays."""
_LIST = re.compile(f"{_BULLET.pattern}|{_NUMBER.pattern}", re.MULTILINE)
BAR = 10
"""Signs of a progress bar."""


class Vary(Atom, frozen=True, kw_only=True):
    """Bullets, numbers of lists, separators, labels and progress in forms drawn by `seed` and turn,
    so that an agent does not fall into a pattern. Off unless a spec says it. Diffs, YAML and code
    stay as they are.

    Only DYNAMIC texts change: what a cache may hold keeps its bytes. In one turn all requests
    have one form.

    Args:
        seed: another one gives another sequence of forms.
    """

    word: ClassVar[str] = "vary"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS

    seed: int = 0

    @property
    def traits(self) -> Traits:
        """A text at a time."""
        return Traits(view="block", maps=True)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, DYNAMIC texts in this turn's form."""
        turn = inputs.snapshot.turn
        return tuple(self._varied(block, turn) for block in blocks)

    def _varied(self, block: Block, turn: int) -> Block:
        plain = not block.messages and block.cache is CacheClass.DYNAMIC
        if not plain or block.fidelity < Fidelity.COMPACTED or block.pinned:
            return block
        drawn = sha256(f"{self.seed}\n{turn}\n{block.id}".encode()).digest()
        text = _PROGRESS.sub(
            lambda m: _progress(int(m[1]), int(m[2]), drawn[0], drawn[1]), block.text
        )
        if not _MACHINE.search(block.text):
            text = _BULLET.sub(BULLETS[drawn[2] % len(BULLETS)], text)
            number = NUMBERS[drawn[4] % len(NUMBERS)]
            text = _NUMBER.sub(lambda match: number.format(match[1]), text)
        if text != block.text and text.count("\n") and not _LIST.search(block.text):
            text = text.replace("\n", SEPARATORS[drawn[3] % len(SEPARATORS)])
        return block.with_text(text, why="another form") if text != block.text else block


def _progress(done: int, total: int, form: int, label: int) -> str:
    share = done * 100 // total if total else 0
    forms = (
        f"{done}/{total} steps completed",
        f"{share}%",
        f"[{'#' * (share * BAR // 100)}{'.' * (BAR - share * BAR // 100)}] {done} of {total}",
        f"step {min(done + 1, total)} of {total}",
    )
    return f"{LABELS[label % len(LABELS)]} {forms[form % len(forms)]}"
