"""The whole of what is shortened, put aside where there is a store for it."""

from collections.abc import Callable

from contextwright.adapters.wrap.cooling_report import Change, digest
from contextwright.errors import ContextwrightError
from contextwright.stores.store import ArtifactStore

FOLDER = "cooled"
DIGITS = 16
"""Of a digest in a name: the ref stands in a request, and each digit costs."""


class Keeper:
    """Puts texts aside during one call, each once, and says where they are.

    Args:
        artifacts: None to keep nothing.
        count: tokens of a text.
    """

    def __init__(self, artifacts: ArtifactStore | None, count: Callable[[str], int]) -> None:
        self._artifacts = artifacts
        self._count = count
        self._refs: dict[str, str] = {}
        self.failed = ""

    def ref(self, text: str) -> str:
        """Where a text is kept; empty where it is not."""
        if self._artifacts is None:
            return ""
        if text not in self._refs:
            data = text.encode("utf-8", "surrogatepass")
            try:
                name = f"{FOLDER}/{digest(text)[:DIGITS]}"
                self._refs[text] = self._artifacts.put(data, name=name)
            except ContextwrightError as error:
                self._refs[text] = ""
                self.failed = f"; the whole was not kept: {error.what}"
        return self._refs[text]

    def tail(self, text: str, event: str, tokens: int) -> str:
        """What stands behind a text that was shortened."""
        ref = self.ref(text)
        return f"\n[full text: {ref}, {tokens} tokens]" if ref else ""

    def change(self, where: str, old: str, new: str, by: str, why: str) -> Change:
        """The entry for one text."""
        return Change(
            where=where,
            action="cut" if by == "cut" else "summarized",
            by=by,
            tokens_before=self._count(old),
            tokens_after=self._count(new),
            sha256=digest(old),
            ref=self.ref(old),
            why=(why + self.failed).lstrip("; "),
        )

    def dropped(self, where: str, text: str, tokens: int) -> Change:
        """The entry for a message that was left out."""
        return Change(
            where=where,
            action="dropped",
            by="budget",
            tokens_before=tokens,
            tokens_after=0,
            sha256=digest(text),
            ref=self.ref(text),
            why=self.failed.lstrip("; "),
        )
