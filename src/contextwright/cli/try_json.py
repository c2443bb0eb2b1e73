"""`ctx try --json`: all that its tables say, as data."""

from collections.abc import Sequence
from typing import Any

import msgspec

from contextwright.traces.call_mark import TRACE
from contextwright.traces.comparison import SessionComparison
from contextwright.traces.recorded_call import UnreadCall


def comparisons_json(
    compared: Sequence[SessionComparison], spec: str, unread: Sequence[UnreadCall]
) -> bytes:
    """The sessions, the largest first. Values that were not in sight are without what the spec
    redacts, as in the table; no other text of a session is in it. Amounts are microdollars, 0
    where no price is known."""
    ordered = sorted(compared, key=lambda one: -one.sent.tokens)
    sessions = [_session(one) for one in ordered]
    return msgspec.json.encode({"spec": spec, "sessions": sessions, "unread": unread})


def _session(one: SessionComparison) -> dict[str, Any]:
    """A session by its id, not with its log."""
    fields = {name: getattr(one, name) for name in one.__struct_fields__ if name != "session"}
    gaps = one.session.metadata.get(TRACE, {}).get("gaps", ())
    return {"session": one.session.id, **fields, "gaps": gaps}
