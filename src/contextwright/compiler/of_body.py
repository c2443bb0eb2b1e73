"""A request whose session was read from a body of the target's own format: the caller's, with only
its context replaced (rules.md#left-as-it-came)."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from contextwright.compiler.manifest import Unrendered
from contextwright.compiler.plan import Plan
from contextwright.errors import RenderError
from contextwright.formats.moving_breakpoints import MOVING
from contextwright.formats.part_places import FORMS
from contextwright.formats.provenance import origins
from contextwright.formats.request_body import RequestBody, body_of_session
from contextwright.memo.owned_tables import NEWEST
from contextwright.redaction.detector import NO_PORTS
from contextwright.render.body_redaction import BodyRedaction
from contextwright.render.parameters import READERS, translation
from contextwright.render.renderer import Renderer, Request
from contextwright.render.shared_rules import Rule, Violation
from contextwright.render.source_messages import RecordRules, SourceMessages, is_within_message
from contextwright.render.target import Target
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Memo

UNREAD = Violation("", "", "a form that a rule does not know")
"""Stands for what a rule can not tell of a request."""


def with_sources(target: Target, snapshot: Snapshot, planned: Plan, memo: Memo) -> Target:
    """The target with the body that the session was read from, where it is one of its format; with
    what one of another format asks for beside its context."""
    if target.format not in FORMS:
        return target
    body = body_of(snapshot, target.format)
    redactions, redaction = planned.every_redaction, redaction_of(planned)
    if body is not None and not (body.format == target.format and body.is_request):
        fields = redaction.parameters(body.fields, body.format)
        target = _translated(target, msgspec.structs.replace(body, fields=fields))
    is_request = body is not None and body.format == target.format and body.is_request
    rules = None
    if not is_request:
        body = _record_of(snapshot, target, body)
        rules = RecordRules(target.provider.renderer, snapshot.preamble)
    if body is None:
        return target
    # an application's own are told apart by what they are, which no other process can repeat
    own = bool(redactions) and planned.ports != NO_PORTS
    ports = id(planned.ports) if own else 0
    breakpoints = snapshot.metadata.get(MOVING)
    key = repr((body.format, is_request, redactions, ports, breakpoints is not None))
    _look_anew_at_pieces(snapshot, body.format, memo)
    known = memo.table(("source messages", key))
    log, position = snapshot.log, snapshot.position
    sources = SourceMessages(body, log, position, known, redaction, key, rules, breakpoints)
    return msgspec.structs.replace(target, sources=sources)


class _Looked(NamedTuple):
    """How a log was looked at before.

    Args:
        end: the furthest position. cut: the newest one, where it lay within a message; else 0.
    """

    end: int = 0
    cut: int = 0


def _look_anew_at_pieces(snapshot: Snapshot, format: str, memo: Memo) -> None:
    """Forget what was worked out, where more of a message has come, or less of one is looked at.
    Events of one message may come one by one, or the session be looked at from before the last of
    them: what holds of a piece of a message is not what holds of all of it."""
    log, position, key = snapshot.log, snapshot.position, ("message pieces", format)
    before: _Looked = memo.newest(key) or _Looked()
    cut = position if is_within_message(log, position, format) else 0
    if cut != before.cut or (not cut and is_within_message(log, before.end, format)):
        memo.start_anew()
    memo.table(key, stays=True)[NEWEST] = _Looked(
        before.end if cut else max(before.end, position), cut
    )


def redaction_of(planned: Plan) -> BodyRedaction:
    """What a spec redacts, for what leaves as it came."""
    return BodyRedaction(tuple(one.cleaner(planned.ports) for one in planned.every_redaction))


def _record_of(snapshot: Snapshot, target: Target, body: RequestBody | None) -> RequestBody | None:
    """A list of messages of the target's own format, or a record of a conversation, as the request
    that it would be; None for a session of another format."""
    if not snapshot.position or not origins(snapshot.log[0], target.format):
        return None
    fields = body.fields if body is not None and body.format == target.format else {}
    framed = target.provider.renderer.frame_of_record(fields, target)
    return RequestBody(target.format, framed, (), is_request=False)


def without_sources(target: Target) -> Target | None:
    """The target with all messages made anew; None where they are, or are their caller's own."""
    if target.sources is None or target.sources.body.is_request:
        return None
    return msgspec.structs.replace(target, sources=None)


def is_of_no_body(snapshot: Snapshot) -> bool:
    """Whether a session was read from no provider's body."""
    return not snapshot.metadata or READERS.keys().isdisjoint(snapshot.metadata)


def body_of(snapshot: Snapshot, format: str) -> RequestBody | None:
    """The body that a session was read from: one of this format, or a request in another."""
    if is_of_no_body(snapshot):
        return None
    own = body_of_session(format, snapshot.metadata, snapshot.tools)
    if own is not None:
        return own
    bodies = (body_of_session(name, snapshot.metadata, snapshot.tools) for name in READERS)
    return next((one for one in bodies if one is not None and one.is_request), None)


def _translated(target: Target, body: RequestBody) -> Target:
    explicit = target.reserved_output if "reserved_output" in target.overrides else None
    translated = translation(body, target.format, target.model, explicit, target.reserved_output)
    answer = target.response_format or translated.response_format
    return msgspec.structs.replace(target, translation=translated, response_format=answer)


def unrendered_parameters(target: Target) -> Iterator[Unrendered]:
    """What the session's body asks for and this provider has no word for."""
    for name in target.translation.lost if target.translation is not None else ():
        reason = f"{name!r} has no equivalent in {target.format}"
        yield Unrendered("parameters", "parameter", reason)


def broken_by_us(renderer: Renderer, request: Request, target: Target) -> list[Violation]:
    """The rules of the provider that a request breaks, but for those that its caller's own body
    breaks too: what is wrong with it the caller knows better; of a list of messages, but for those
    that making it anew does not mend."""
    if target.sources is None:
        return renderer.validate(request, target)
    answers = renderer.validate(request, target, _readable)
    violations = [one for one in answers if one is not UNREAD]
    own = _broken_by_caller(renderer, {one.rule for one in violations}, target.sources)
    if not target.sources.body.is_request:
        own -= renderer.repaired
    return [violation for violation in violations if violation.rule not in own]


def _broken_by_caller(renderer: Renderer, names: set[str], sources: SourceMessages) -> set[str]:
    """Of these rules the ones that the body breaks. What it breaks for good is found once: the
    messages of all calls so far are walked for what was not known."""
    lasting = (renderer.message_rules | renderer.id_rules) & names
    broken = {name for name in lasting if sources.is_known_to_break(name)}
    if names > broken:
        unknown = {name: renderer.rules[name] for name in names - broken}
        faults = {one.rule for one in _readable(unknown, sources.request())} - {UNREAD.rule}
        for name in faults & lasting:
            sources.note_broken(name)
        broken |= faults
    return broken


def readable_violations(renderer: Renderer, request: Request) -> list[Violation]:
    """The rules that a request breaks; one that meets a form unknown to it says nothing."""
    return [one for one in _readable(renderer.rules, request) if one is not UNREAD]


def _readable(rules: Mapping[str, Rule], request: Request) -> list[Violation]:
    """The rules that a request breaks. One that meets a form unknown to it says nothing, but that
    it does."""
    violations: list[Violation] = []
    for name, rule in rules.items():
        try:
            violations += [Violation(name, where, what) for where, what in rule(request)]
        except (LookupError, TypeError, AttributeError):
            violations.append(UNREAD)
    return violations


def expect_valid(
    renderer: Renderer, request: Request, target: Target, tokens: int, limit: int
) -> None:
    """Refuse a request that breaks a rule of its provider, or is over its limit.

    Raises:
        RenderError: a bug of ours, or a list of messages that is to be made anew.
    """
    if violations := broken_by_us(renderer, request, target):
        first = violations[0]
        raise RenderError(
            f"the request breaks rules of its provider ({len(violations)}); first "
            f"{first.rule}: {first.what}",
            where=f"{target.format} {first.where}",
            fix="report this with the session: a request that is built here must be valid",
        )
    if tokens > limit:
        raise RenderError(
            f"the request has {tokens} tokens and {limit} are allowed",
            where=target.format,
            fix="report this with the session: costs must never be counted too low",
        )
