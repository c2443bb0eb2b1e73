"""Everything that a redaction looks for, and what it puts there, as one."""

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, cast

import msgspec

from contextwright.redaction.detector import Detector, detected
from contextwright.redaction.ids import redacted_id
from contextwright.redaction.named_fields import redact_json_text
from contextwright.redaction.operators import REPLACE, Operator, put
from contextwright.redaction.readings import base64_texts, readings
from contextwright.redaction.scan import Scanner, compile_patterns
from contextwright.redaction.settle import Span, settled

_ROUNDS = 3


def with_strings(value: Any, change: Callable[[str], str]) -> Any:
    """The same JSON data, however deep, with what `change` gives for every string and key."""
    top = [value]
    waiting: list[tuple[Any, Any]] = [(top, 0)]
    while waiting:
        holder, place = waiting.pop()
        item = holder[place]
        if isinstance(item, str):
            holder[place] = change(item)
        elif isinstance(item, dict):
            entries = {change(str(key)): one for key, one in cast(Any, item).items()}
            holder[place] = entries
            waiting += [(entries, key) for key in entries]
        elif isinstance(item, list | tuple):
            listed = list(cast(Any, item))
            holder[place] = listed
            waiting += [(listed, at) for at in range(len(listed))]
    return top[0]


class Redactor(msgspec.Struct, frozen=True, eq=False, dict=True):
    """What is redacted, and how.

    Args:
        patterns: names of patterns, groups, expressions.
        fields: names of fields.
        entities: what `detector` is asked for.
        operator: what stands there instead.
    """

    patterns: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    operator: Operator = REPLACE
    detector: Detector | None = None

    def text(self, text: str) -> str:
        """A text, redacted. What is redacted already stays as it is.

        Raises:
            RedactionError: the detector failed.
        """
        if self._is_plain(text):
            return text
        for _ in range(_ROUNDS):
            new = redact_json_text(text, self.fields, self.operator)[0] if self.fields else text
            new = self._encoded_fields(new)
            if self.patterns or self.entities:
                new = settled(new, self._search(), self.operator)[0]
            # one may uncover what the other finds
            if new == text or not self.fields:
                return new
            text = new
        return text

    def _is_plain(self, text: str) -> bool:
        """Whether a look at a text tells that nothing of it goes, as of most names and ids."""
        if self.fields or self.entities or not self.patterns:
            return False
        return self._scanner.is_plain(text)

    @cached_property
    def _scanner(self) -> Scanner:
        return compile_patterns(self.patterns)

    def spans(self, text: str) -> tuple[Span, ...]:
        """What its patterns and its detector find in a text."""
        hit = self.patterns or self.entities
        return settled(text, self._search(), self.operator)[1] if hit else ()

    def ident(self, id: str) -> str:
        """An id or a name, by which two things are one: as it is, or another one, always the
        same."""
        return redacted_id(self, id)

    def without_fields(self) -> "Redactor":
        """The same without names of fields: a schema has names of fields and no values."""
        return msgspec.structs.replace(self, fields=())

    def is_clean(self, value: Any) -> bool:
        """Whether JSON data holds nothing that is redacted."""
        text = json.dumps(value, ensure_ascii=False, default=str)
        return self.text(text) == text

    def _search(self) -> Callable[[str], Iterator[Span]]:
        patterned = self._scanner.search() if self.patterns else None

        def matches(text: str) -> Iterator[Span]:
            if patterned:
                yield from patterned(text)
            if not self.entities or not text.strip():
                return
            yield from detected(text, self.entities, self.detector)
            for reading in readings(text):
                for start, end, name in detected(reading.text, self.entities, self.detector):
                    yield Span(*reading.original(start, end), name)

        return matches

    def _encoded_fields(self, text: str) -> str:
        """Fields in what stands encoded in a text: then the whole of it goes."""
        if not self.fields:
            return text
        return put(
            text,
            [
                (start, end, self.operator.stand_in(text[start:end]))
                for start, end, plain in base64_texts(text)
                if redact_json_text(plain, self.fields, self.operator)[1]
            ],
        )
