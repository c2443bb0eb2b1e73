"""The fields of a caller's body beside its messages, without what a spec redacts: tools, metadata,
schemas of answers. The caller's own objects where nothing of them is redacted."""

from typing import Any

from contextwright.compiler.of_body import redaction_of
from contextwright.compiler.plan import known_plan
from contextwright.engine.engine import Engine
from contextwright.engine.message_history import MessageHistory
from contextwright.engine.prepare import memo_of
from contextwright.formats.dump import attributes_of
from contextwright.formats.fields import Json
from contextwright.formats.message_list import plain_message
from contextwright.formats.record_copies import put_data
from contextwright.memo.ownership import remembering
from contextwright.render.body_redaction import BodyRedaction


def clean_fields(fields: Json, engine: Engine, history: MessageHistory) -> Json:
    """The fields as the engine's spec lets them leave. Each is looked at once while it says the
    same."""
    redaction = _redaction(engine, history)
    if not redaction.cleaners:
        return fields
    before, newest = history.clean_fields, dict[str, tuple[Any, Any]]()
    cleaned: Json = {}
    for key, own in fields.items():
        plain = plain_message(own) if own is not None else None
        known = before.get(key)
        if known is None or known[0] != plain:
            known = plain, redaction.parameter(key, plain, history.read.format)
        newest[key] = known
        cleaned[key] = put_data(own, *known, attributes_of)
    history.clean_fields = newest
    return cleaned


def _redaction(engine: Engine, history: MessageHistory) -> BodyRedaction:
    """What the engine's spec redacts; nothing where another compiler stands in its place."""
    if engine.compiler is not None:
        return BodyRedaction()
    session = history.session
    memo = memo_of(session.log)
    with remembering(memo):
        return redaction_of(known_plan(engine.spec, session.state, engine.ports, memo))
