"""`C.redact(...)`: what must not be seen is not sent (context-algebra.md#redaction)."""

from typing import ClassVar, Literal

from contextwright.blocks.block import Blocks
from contextwright.errors import SpecError
from contextwright.redaction.detector import NO_PORTS, RedactionPorts
from contextwright.redaction.ids import expect_callable
from contextwright.redaction.operators import OPERATORS, Operator
from contextwright.redaction.redact_parts import PartRedaction
from contextwright.redaction.redactor import Redactor
from contextwright.redaction.scan import compile_patterns
from contextwright.redaction.wire_data import Cleaner, redacted_schema, redacted_tool
from contextwright.session.event import Tool
from contextwright.spec.inputs import Inputs
from contextwright.spec.traits import Traits
from contextwright.spec.word_roles import Guard


class Redact(Guard, frozen=True, kw_only=True):
    """Put `[REDACTED]` for what these patterns find and what these fields hold, everywhere:
    the system instruction, the user's words, calls, results, state, notes, names, ids, tools.

    What is encoded (JSON, percent, HTML, base64) is decoded first; JSON stays JSON. Refs name the
    originals; `Engine.expand` redacts what it gives back.

    Args:
        patterns: names of built-in patterns, groups (`pii`, `secrets`), or regular
            expressions, which run on RE2 (extra `redact`).
        fields: names, or dotted paths, of fields in JSON, YAML and `key: value` text.
        entities: what the `detector` of the compile is asked for, such as `PERSON`. One that fails
            sends nothing.
        operator: `replace`; `mask` (`****1111`); `hash` and `pseudonymize`, which take the `vault`
            of the compile, and of which the second can be turned back by it.

    Raises:
        SpecError: nothing to redact. PatternError: a pattern that can not run in linear time.
    """

    word: ClassVar[str] = "redact"

    patterns: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    operator: Literal["replace", "mask", "hash", "pseudonymize"] = "replace"

    def __post_init__(self) -> None:
        if not self.patterns and not self.fields and not self.entities:
            raise SpecError(
                "nothing to redact",
                where=repr(self),
                fix='C.redact(patterns=["email", "phone"]) or C.redact(fields=["ssn"])',
            )
        if self.operator not in OPERATORS:
            raise SpecError(
                f"there is no operator {self.operator!r}",
                where=repr(self),
                fix=f"operator={', '.join(map(repr, OPERATORS[:-1]))} or {OPERATORS[-1]!r}",
            )
        if self.patterns:
            compile_patterns(self.patterns)

    @property
    def covers(self) -> tuple[str, ...]:
        """Its patterns."""
        return self.patterns

    @property
    def traits(self) -> Traits:
        """A block at a time."""
        return Traits(view="block", maps=True)

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, redacted."""
        known = inputs.memo.table((self, inputs.ports, "messages"), brief=True)
        redaction = PartRedaction(self._redactor(inputs.ports), known)
        return inputs.memo.map((self, inputs.ports), blocks, redaction.block)

    def cleaned(self, text: str, ports: RedactionPorts = NO_PORTS) -> str:
        """A text by itself, redacted."""
        return self._redactor(ports).text(text)

    def cleaned_id(self, id: str, ports: RedactionPorts = NO_PORTS) -> str:
        """An id, or always the same other one."""
        return self._redactor(ports).ident(id)

    def cleaned_tool(self, tool: Tool, ports: RedactionPorts = NO_PORTS) -> Tool:
        """A tool whose description and schema are redacted.

        Raises:
            SpecError: its name is, by which it has to be called.
        """
        redactor = self._redactor(ports)
        expect_callable(redactor, tool.name)
        new = Tool(
            name=tool.name,
            description=redactor.text(tool.description),
            parameters=redacted_schema(redactor, tool.parameters),
            extra={key: redacted_tool(redactor, value) for key, value in tool.extra.items()},
        )
        return tool if new == tool else new

    def cleaner(self, ports: RedactionPorts = NO_PORTS) -> Cleaner:
        """What it takes out of JSON data, by the names of fields, too."""
        return self._redactor(ports)

    def _redactor(self, ports: RedactionPorts) -> Redactor:
        operator = Operator(self.operator, ports.vault_of(self.operator))
        detector = ports.detector_of(self.entities) if self.entities else None
        return Redactor(self.patterns, self.fields, self.entities, operator, detector)
