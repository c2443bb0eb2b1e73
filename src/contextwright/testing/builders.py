"""Sessions out of a line, targets, and checks of a pack."""

from typing import Any

import msgspec

from contextwright.compiler.pack import Pack
from contextwright.engine.one_call import compile
from contextwright.errors import BudgetError, SpecError
from contextwright.render.providers import BUILT_IN, provider_named
from contextwright.render.target import Target
from contextwright.session.session import Session
from contextwright.spec.expr import Expr
from contextwright.tokens.counter import counter_for
from contextwright.words import C

FORMATS = tuple(name for name in BUILT_IN if provider_named(name).takes_messages)
"""The formats of this package that take messages."""


def session_of(script: str, **options: Any) -> Session:
    """A session out of a script: `s: system | u: hi | c: search(x) | r: found | a: hello`.

    `c` calls a tool with an id of its own; `r` answers the oldest open call, `e` with an error.
    """
    session = Session(options.pop("id", "script"), **options)
    open_calls: list[str] = []
    for line in script.split("|"):
        speaker, _, text = (part.strip() for part in line.partition(":"))
        if speaker == "c":
            name, _, query = text.partition("(")
            id = f"call{len(session)}"
            open_calls.append(id)
            session.call(name, msgspec.json.encode({"q": query.rstrip(")")}).decode(), id=id)
        elif speaker in {"r", "e"}:
            session.result(open_calls.pop(0), text, error=speaker == "e")
        elif speaker in {"s", "u", "a"}:
            role = {"s": "system", "u": "user", "a": "assistant"}[speaker]
            session.add(role, text)  # pyright: ignore[reportArgumentType]
        else:
            raise SpecError(
                f"expected a line that begins with s, u, a, c, r or e, got {speaker!r}",
                where=line.strip()[:60],
                fix='such as "u: hi | a: hello"',
            )
    return session


def target_for(format: str, window: int = 128_000, reserved_output: int = 0) -> Target:
    """A target of this format with a model of its provider; refs are shown, whoever reads them."""
    model = provider_named(format).sample_model
    return Target(
        model=model,
        format=format,
        window=window,
        reserved_output=reserved_output,
        counter=counter_for(model),
        refs="show",
    )


def assert_valid(pack: Pack, target: Target | None = None) -> None:
    """The request breaks no rule of its provider and is within its budget, recounted."""
    manifest = pack.manifest
    target = target or target_for(manifest.format, manifest.window, manifest.reserved_output)
    renderer = provider_named(manifest.format).renderer
    request = pack.request
    assert renderer.validate(request, target) == []
    if target.counter.id == manifest.counter:
        assert renderer.measure(request, target) == manifest.tokens
    assert manifest.tokens <= manifest.budget


def assert_drop_order(session: Session, spec: Expr, order: list[str], **options: Any) -> None:
    """As the budget shrinks, the blocks of these ids leave in this order."""
    whole = compile(session, spec, **options)
    left: list[str] = []
    for limit in range(whole.tokens, 0, -1):
        try:
            pack = compile(session, spec | C.budget(limit), **options)
        except BudgetError:
            break
        sent = {block.id for block in pack.manifest.kept}
        left += [id for id in order if id not in sent and id not in left]
    assert left == order, f"left in the order {left}"
