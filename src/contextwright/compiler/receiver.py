"""The receiver of a session's requests: the target, with what of it is the session's own."""

from typing import NamedTuple
from weakref import ref

import msgspec

from contextwright.compiler.of_body import is_of_no_body, redaction_of, with_sources
from contextwright.compiler.plan import Plan
from contextwright.memo.by_identity import NEWEST
from contextwright.render.target import Target
from contextwright.session.event import Tool
from contextwright.session.log import Log
from contextwright.session.snapshot import Snapshot
from contextwright.spec.memo import Memo

_RECEIVER, _TOOLS = "receiver", "tools of a receiver"
"""Tables."""


class _Known(NamedTuple):
    """The receiver of a session that was read from no body, and what it is of: its first event says
    the rest, and stays. One with a body holds its log, and is not kept for it."""

    target: Target
    log: ref[Log]
    root_id: str
    receiver: Target


class ReceiverTools(NamedTuple):
    """The tools of a receiver.

    Args:
        named: those that the session, or the caller, has. available: with those that read refs.
        sendable: those that its provider takes. shows_refs: whether a request with all of these
            shows refs.
    """

    target: Target
    named: tuple[Tool, ...]
    available: tuple[Tool, ...]
    sendable: tuple[Tool, ...]
    shows_refs: bool


def tools_of(target: Target, named: tuple[Tool, ...], memo: Memo) -> ReceiverTools:
    """The tools of a receiver, looked at once while they are the same."""
    known: ReceiverTools | None = memo.newest(_TOOLS)
    if known is not None and known.target is target and known.named is named:
        return known
    available = target.with_readers(named)
    sendable = target.sendable(available)
    made = ReceiverTools(target, named, available, sendable, target.shows_refs(sendable))
    if target.sources is None:
        memo.table(_TOOLS, brief=True)[NEWEST] = made
    return made


def receiver_of(target: Target, snapshot: Snapshot, planned: Plan, memo: Memo) -> Target:
    """The target with the sign of a session, and the body that this was read from, if any. It is
    the same object from request to request while nothing of it moves."""
    known: _Known | None = memo.newest(_RECEIVER)
    if (
        known is not None
        and known.target is target
        and known.log() is snapshot.log
        and known.root_id == snapshot.root_id
        and snapshot.position
        and is_of_no_body(snapshot)
    ):
        return known.receiver
    signed = _with_clean_answer(target, planned)
    if target.takes_messages:
        signed = msgspec.structs.replace(signed, sign=snapshot.sign)
    receiver = with_sources(signed, snapshot, planned, memo)
    if receiver is signed and snapshot.position and is_of_no_body(snapshot):
        memo.table(_RECEIVER, brief=True)[NEWEST] = _Known(
            target, ref(snapshot.log), snapshot.root_id, receiver
        )
    return receiver


def _with_clean_answer(target: Target, planned: Plan) -> Target:
    """The target with the shape of its answer as the spec redacts it."""
    shape = target.response_format
    if shape is None or not shape.schema or not planned.every_redaction:
        return target
    clean = redaction_of(planned).schema(shape.json_schema)
    if clean == shape.json_schema:
        return target
    schema = msgspec.json.encode(clean).decode()
    answer = msgspec.structs.replace(shape, schema=schema)
    return msgspec.structs.replace(target, response_format=answer)
