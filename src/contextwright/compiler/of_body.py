"""A request whose session was read from a body of the target's own format: the caller's, with only
its context replaced (rules.md#left-as-it-came)."""

from collections.abc import Iterator
from functools import reduce

import msgspec

from contextwright.compiler.manifest import Unrendered
from contextwright.compiler.plan import Plan
from contextwright.formats.part_places import FORMS
from contextwright.formats.request_body import RequestBody, body_of_session
from contextwright.render.parameters import translation
from contextwright.render.renderer import Renderer, Request, Violation
from contextwright.render.source_messages import SourceMessages
from contextwright.render.target import Target
from contextwright.session.snapshot import Snapshot
from contextwright.spec.inputs import Memo


def with_sources(target: Target, snapshot: Snapshot, planned: Plan, memo: Memo) -> Target:
    """The target with the body that the session was read from, where it is one of its format; with
    what one of another format asks for beside its context."""
    body = body_of(snapshot, target.format)
    if body is None or target.format not in FORMS:
        return target
    if body.format != target.format or not body.is_request:
        return _translated(target, body)
    redactions = planned.every_redaction
    key = repr((body.format, redactions, id(planned.ports) if redactions else 0))
    known = memo.table(("source messages", key))

    def clean(text: str) -> str:
        return reduce(lambda words, one: one.cleaned(words, planned.ports), redactions, text)

    sources = SourceMessages(
        body, snapshot.log, snapshot.position, known, clean if redactions else None, key
    )
    return msgspec.structs.replace(target, sources=sources)


def body_of(snapshot: Snapshot, format: str) -> RequestBody | None:
    """The body that a session was read from: one of this format, or a request in another."""
    own = body_of_session(format, snapshot.metadata, snapshot.tools)
    if own is not None:
        return own
    bodies = (body_of_session(name, snapshot.metadata, snapshot.tools) for name in FORMS)
    return next((one for one in bodies if one is not None and one.is_request), None)


def _translated(target: Target, body: RequestBody) -> Target:
    explicit = target.reserved_output if "reserved_output" in target.overrides else None
    translated = translation(body, target.format, target.model, explicit)
    answer = target.response_format or translated.response_format
    return msgspec.structs.replace(target, translation=translated, response_format=answer)


def unrendered_parameters(target: Target) -> Iterator[Unrendered]:
    """What the session's body asks for and this provider has no word for."""
    for name in target.translation.lost if target.translation is not None else ():
        reason = f"{name!r} has no equivalent in {target.format}"
        yield Unrendered("parameters", "parameter", reason)


def broken_by_us(renderer: Renderer, request: Request, target: Target) -> list[Violation]:
    """The rules of the provider that a request breaks, but for those that its caller's own body
    breaks too: what is wrong with it the caller knows better."""
    if target.sources is None:
        return renderer.validate(request, target)
    violations = readable_violations(renderer, request)
    if not violations:
        return []
    own = {one.rule for one in readable_violations(renderer, target.sources.request())}
    return [violation for violation in violations if violation.rule not in own]


def readable_violations(renderer: Renderer, request: Request) -> list[Violation]:
    """The rules that a request breaks; one that meets a form unknown to it says nothing."""
    violations: list[Violation] = []
    for name, rule in renderer.rules.items():
        try:
            violations += [Violation(name, where, what) for where, what in rule(request)]
        except (LookupError, TypeError, AttributeError):
            continue
    return violations
