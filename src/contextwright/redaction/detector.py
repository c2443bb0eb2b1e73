"""Names and places: a detector that the application brings, such as Presidio's `AnalyzerEngine`."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from contextwright.errors import RedactionError, SpecError
from contextwright.redaction.operators import KEYED, Vault
from contextwright.redaction.settle import Span

Detector: TypeAlias = Callable[[str], Iterable[Any]] | Any
"""Called with a text, or with `analyze(text=..., entities=..., language="en")`: gives what it hit
as `(start, end, entity)`, or as objects with `start`, `end` and `entity_type`."""


class RedactionPorts:
    """What a redaction takes from the application. Equal if it is the same objects.

    Args:
        detector: finds the entities that a spec names.
        vault: has the key of hashes and pseudonyms.
        where: the call that takes them, for an error where one is missing.
    """

    __slots__ = ("detector", "vault", "where")

    def __init__(
        self,
        detector: Detector | None = None,
        vault: Vault | None = None,
        where: str = "contextwright.compile(...)",
    ) -> None:
        self.detector, self.vault, self.where = detector, vault, where

    def detector_of(self, entities: tuple[str, ...]) -> Detector:
        """Who finds these entities.

        Raises:
            SpecError: no detector was given.
        """
        if self.detector is None:
            raise SpecError(
                f"nothing here finds {', '.join(entities)}",
                where=f"C.redact(..., entities={list(entities)})",
                fix=f"{self._with('detector=AnalyzerEngine()')}: Presidio's, or any callable that "
                "gives (start, end, entity)",
            )
        return self.detector

    def vault_of(self, operator: str) -> Vault | None:
        """Whose key an operator takes; None for one that takes none.

        Raises:
            SpecError: it takes one and none was given.
        """
        if operator in KEYED and self.vault is None:
            raise SpecError(
                f"the operator {operator!r} takes a vault, which has the key",
                where=f"C.redact(..., operator={operator!r})",
                fix=self._with("vault=Vault(key=...)"),
            )
        return self.vault

    def _with(self, argument: str) -> str:
        return self.where.replace("...)", f"..., {argument})")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RedactionPorts)
            and self.detector is other.detector
            and self.vault is other.vault
        )

    def __hash__(self) -> int:
        return hash((id(self.detector), id(self.vault)))


NO_PORTS = RedactionPorts()


def detected(text: str, entities: tuple[str, ...], detector: Detector) -> Iterator[Span]:
    """Where a detector finds one of these entities.

    Raises:
        RedactionError: it failed, or gave something else than spans: what was not searched is not
            sent.
    """
    wanted = {entity.casefold() for entity in entities}
    for hit in _results_of(text, entities, detector):
        span = _span(hit, len(text))
        if span.name in wanted and span.end > span.start:
            yield span


def _results_of(text: str, entities: tuple[str, ...], detector: Any) -> list[Any]:
    analyze = getattr(detector, "analyze", None)
    try:
        if analyze is not None:
            return list(analyze(text=text, entities=list(entities), language="en"))
        return list(detector(text))
    except Exception as error:  # noqa: BLE001 - the application's code may raise anything
        failure = type(error).__name__
    # not `from error`: its message may quote the text
    raise RedactionError(
        f"the detector {type(detector).__name__} failed with {failure}: nothing is sent",
        where=f"C.redact(..., entities={list(entities)})",
        fix="call the detector by itself to see why; without `entities` it is not asked",
    )


def _span(hit: Any, size: int) -> Span:
    try:
        if isinstance(hit, tuple | list):
            start, end, entity = hit[0], hit[1], hit[2]
        else:
            start, end, entity = hit.start, hit.end, hit.entity_type
        if 0 <= int(start) <= int(end) <= size:
            return Span(int(start), int(end), str(entity).casefold())
    except (AttributeError, IndexError, TypeError, ValueError):
        pass
    raise RedactionError(
        f"expected (start, end, entity) within the text from the detector, got a "
        f"{type(hit).__name__} that is none: nothing is sent",
        where="detector",
        fix='such as (0, 12, "PERSON")',
    )
