"""Decisions as they are saved, and read again."""

from collections.abc import Sequence
from hashlib import sha256

import msgspec

from contextwright.blocks.block import Block
from contextwright.compiler.steps.decide import Decisions, Economy
from contextwright.compiler.steps.file_states import ToldFile
from contextwright.compiler.steps.forms import FORMS
from contextwright.compiler.steps.note_todos import ToldTodos
from contextwright.compiler.steps.word_weights import places_of_words, weighed
from contextwright.spec.inputs import Inputs
from contextwright.spec.saved_fold import SavedFold

VERSION = 34
"""Counts up when the same conversation gets other steps."""
_PLACES = {form: place for place, form in enumerate(FORMS)}

Words = tuple[tuple[str, int], ...]
"""Identifiers, each with the exchange that says it first."""
Numbers = tuple[tuple[int, int], ...]
"""Exchanges, each with the number of one of its identifiers, or of its form."""
Forms = tuple[tuple[int, str], ...]
"""Exchanges, each with the form in which a note tells it."""


def fold_key(economy: Economy, settled: tuple[str, ...], inputs: Inputs) -> str:
    """Names all that decisions depend on beside the conversation."""
    parts = (VERSION, economy, settled, inputs.cost_id)
    if inputs.goes_by_log:  # steps began anew by what words left, in versions before this one
        parts = (*parts, "by what came")
    return sha256(msgspec.json.encode(parts)).hexdigest()[:16]


def word_numbers(words: Words, blocks: Sequence[Block]) -> Numbers:
    """Identifiers by where they stand."""
    return tuple((at, places_of_words(blocks[at])[word]) for word, at in words)


class FoldRecord:
    """Decisions as they are saved. What a note tells stays from step to step, and is much."""

    def __init__(self) -> None:
        self._forms: tuple[Forms, Numbers] = (), ()
        self._index: tuple[Words, Numbers] = (), ()

    def of(self, decisions: Decisions, blocks: Sequence[Block]) -> SavedFold:
        """Decisions about exchanges; what these are is put in by the fold."""
        if self._forms[0] is not decisions.forms:
            numbers = tuple([(at, _PLACES[form]) for at, form in decisions.forms])
            self._forms = decisions.forms, numbers
        if self._index[0] is not decisions.index:
            self._index = decisions.index, word_numbers(decisions.index, blocks)
        return SavedFold(
            key="",
            place=0,
            content="",
            upto=decisions.upto,
            held=decisions.held,
            forms=self._forms[1],
            index=self._index[1],
            todos=tuple((todo.places, todo.number, todo.tokens) for todo in decisions.todos),
            files=tuple((file.at, file.call, file.tokens) for file in decisions.files),
            pages=decisions.pages,
            shrunk=tuple(sorted(decisions.shrunk)),
            untold=tuple(sorted(decisions.untold)),
            limits=decisions.limits,
            steps=decisions.steps,
            checked=decisions.checked,
            plan=decisions.plan,
        )


def decisions_in(saved: SavedFold, blocks: Sequence[Block]) -> Decisions:
    """The decisions of a record, without their note.

    Raises:
        IndexError: it names what the conversation does not have.
    """
    return Decisions(
        upto=saved.upto,
        held=saved.held,
        forms=tuple((at, FORMS[form]) for at, form in saved.forms),
        index=tuple((weighed(blocks[at])[number][0], at) for at, number in saved.index),
        todos=tuple(ToldTodos(*todo) for todo in saved.todos),
        files=tuple(ToldFile(*file) for file in saved.files),
        pages=saved.pages,
        shrunk=frozenset(saved.shrunk),
        untold=frozenset(saved.untold),
        limits=saved.limits,
        steps=saved.steps,
        checked=saved.checked,
        plan=saved.plan,
    )
