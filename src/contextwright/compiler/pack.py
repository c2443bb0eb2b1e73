"""A pack: the request for one call, and its manifest."""

from typing import Any

import msgspec

from contextwright.compiler.context_budget import ContextBudget
from contextwright.compiler.manifest import Manifest
from contextwright.errors import NotInThisFormat


class Pack(msgspec.Struct, frozen=True):
    """The request, as bytes that nothing can change, and its receipt."""

    body: bytes
    manifest: Manifest

    @property
    def request(self) -> dict[str, Any]:
        """The keyword arguments of the provider's SDK call; a fresh copy each time."""
        return msgspec.json.decode(self.body)

    @property
    def text(self) -> str:
        """The text of a pack for the `text` format.

        Raises:
            NotInThisFormat: it is for another, which sends messages.
        """
        text = self.request.get("text")
        if not isinstance(text, str):
            raise NotInThisFormat(
                f"a pack for {self.manifest.format} has no text: it has messages",
                where="pack.text",
                fix='compile with format="text", or send pack.request',
            )
        return text

    @property
    def tokens(self) -> int:
        """Tokens of the whole request, as the manifest's counter counts them."""
        return self.manifest.tokens

    def tool_name(self, called: str) -> str:
        """The name of the tool that a model called: some are sent under another one."""
        return self.manifest.renamed_tools.get(called, called)

    @property
    def budget(self) -> ContextBudget:
        """The room there was and is."""
        manifest = self.manifest
        return ContextBudget(
            window=manifest.window,
            used=manifest.tokens,
            reserved_output=manifest.reserved_output,
            reserved_system=manifest.reserved_system,
            soft_threshold=manifest.soft_threshold,
        )
