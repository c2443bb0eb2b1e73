"""A pack: the request for one call, and its manifest."""

from collections.abc import Mapping
from typing import Any

import msgspec

from contextwright.argument_types import expect_types
from contextwright.compiler.context_budget import ContextBudget
from contextwright.compiler.manifest import Manifest
from contextwright.compiler.receipt import Receipt
from contextwright.errors import NotInThisFormat, ReplayError
from contextwright.formats.encoded_body import EncodedBody, encoded_body
from contextwright.memo.by_identity import NEWEST
from contextwright.memo.ownership import owned_table
from contextwright.render.apply_context import applied
from contextwright.render.target import Target
from contextwright.session.log import Log
from contextwright.session.session import Session


class Pack(msgspec.Struct, frozen=True, eq=False):
    """The request, as bytes that nothing can change, and its receipt.

    Args:
        receipt: its manifest, or what writes it once it is read.
        log: what the receipt is written from; None where it is.
        whole_tokens: of the conversation with everything in its place, where that was counted.
    """

    body: bytes
    receipt: Manifest | Receipt
    log: Log | None = None
    whole_tokens: int | None = None

    @property
    def manifest(self) -> Manifest:
        """What the request was built from, what is in it, what is not, and why."""
        receipt = self.receipt
        if isinstance(receipt, Manifest):
            return receipt
        manifest = receipt.manifest
        msgspec.structs.force_setattr(self, "log", None)  # it keeps no session any more
        return manifest

    def without_log(self) -> "Pack":
        """The same, which keeps no session: its manifest can be written while somebody else does.
        For what lives as long as the session itself."""
        return Pack(self.body, self.receipt, None, self.whole_tokens)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pack):
            return NotImplemented
        return self.body == other.body and self.receipt == other.receipt

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[object, ...]:
        return Pack, (self.body, self.manifest)

    def __repr__(self) -> str:
        # a traceback or a notebook prints it: what was said belongs in neither
        return f"<Pack {self.manifest.outline}>"

    @property
    def request(self) -> dict[str, Any]:
        """The keyword arguments of the provider's SDK call; a fresh copy each time."""
        return msgspec.json.decode(self.body)

    def apply(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A request that was built elsewhere, with only its context replaced by this pack's; its
        parameters stay, in their order, and what the pack has nothing of stays as well. Tools that
        are out of its spec's scope do not.

        Args:
            body: a request in the pack's format, as a dict. It is not changed.

        Raises:
            NotInThisFormat: it is in another, or none.
        """
        of_tools = self.manifest.tools is not None
        return applied(self.request, body, self.manifest.format, of_tools=of_tools)

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
        return self.receipt.tokens

    def original(self, session: Session) -> Any:
        """The body, or the messages, that the session was read from, as they came: for a provider
        that refuses what was rewritten for another reason than its length.

        Args:
            session: the one that this pack was compiled from; what came later is not in it.

        Returns:
            Plain data in the pack's own format. Of a session that was not read from it: its
            messages in that format, all of them, nothing shortened.

        Raises:
            NotInThisFormat: the pack is text. ReplayError: another session.
        """
        from contextwright.formats import FORMATS, write_session

        expect_types("pack.original(session)", ReplayError, session=(session, Session))
        manifest, digest = self.manifest, session.log.digest(self.manifest.position)
        if manifest.format not in FORMATS:
            raise NotInThisFormat(
                f"a pack for {manifest.format} has no messages to go back to",
                where="pack.original(session)",
                fix=f"one of {', '.join(sorted(FORMATS))}",
            )
        if digest != manifest.session_digest:
            raise ReplayError(
                "this is not the session that the pack was compiled from",
                where=f"session {session.id!r}, pack {manifest.pack_id!r}",
                fix="give the session itself, or the lineage of it: session.lineages",
            )
        whole = session
        if len(session) > manifest.position:
            events = session.log[: manifest.position]
            whole = Session(session.id, events, tools=session.tools, metadata=session.metadata)
        return msgspec.json.decode(write_session(whole, manifest.format))

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


_BEFORE = "before"
"""Entry of the request before the newest."""


class KnownRequest(msgspec.Struct, frozen=True, eq=False):
    """What a body was encoded from. Nobody writes into it.

    Args:
        target: whose it is; None of one that holds its session. tokens: of it, as they count for
            that one.
    """

    request: Mapping[str, Any]
    encoded: EncodedBody
    target: Target | None
    tokens: int

    def copy(self, value: Any) -> Any:
        """A part of it as it stands in the body, for somebody to write into."""
        return msgspec.json.decode(msgspec.json.encode(value, order=self.encoded.order))


def encoded(request: Mapping[str, Any], target: Target, tokens: int) -> bytes:
    """The body of a request of so many tokens. What it was encoded from is remembered while its
    session's texts are looked at: its messages stand in the next request as the same objects
    (`render.known_wires`)."""
    own, key = target.sources is None, target.provider.renderer.cache_order[-1]
    table = owned_table("newest request", brief=True)
    before: KnownRequest | None = None if table is None else table.known(NEWEST)
    known = None if before is None else before.encoded
    made = encoded_body(request, key, "sorted" if own else None, known)
    if table is not None:
        if known is not None and known.text == made.text:  # it is made again, as it was
            before = table.known(_BEFORE)
        newest = KnownRequest(request, made, target if own else None, tokens)
        table[_BEFORE], table[NEWEST] = before, newest
    return made.text


def known_request(pack: Pack) -> KnownRequest | None:
    """What a pack's body was encoded from, where that is remembered: of the newest two."""
    table = owned_table("newest request", brief=True)
    if table is None:
        return None
    for entry in (_BEFORE, NEWEST):
        known: KnownRequest | None = table.known(entry)
        if known is not None and known.encoded.text == pack.body:
            return known
    return None
