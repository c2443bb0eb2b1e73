"""Which exchange, or which block of ours, each part of a request is of."""

from contextwright import C, compile
from contextwright.inspect.alignment import aligned
from contextwright.inspect.request_parts import request_parts
from contextwright.testing import session_of


def test_every_line_about_what_is_left_out_is_told_by_its_own_name():
    """Two of them may say the same."""
    session = session_of("u: a | a: b | u: c | a: d | u: e | a: f | u: g")
    spec = C.user_only() + C.window(n=1)
    pack = compile(session, spec, model="gpt-5")
    own = [k.id for k in pack.manifest.kept if k.source == "left_out"]
    pairs = aligned(request_parts(pack.request), pack.manifest, [])
    assert [one.block for one in pairs if one.block] == own and len(own) == 3
