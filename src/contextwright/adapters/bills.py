"""What an answer cost, of the counts that a framework has of it."""

from contextwright.tokens.usage import Usage


def bill_of(
    input: int | None,
    output: int | None,
    *,
    cached: int | None = 0,
    written: int | None = 0,
    is_apart: bool = False,
    response_id: str | None = "",
) -> Usage | None:
    """A bill; None where there is no count of the request.

    Args:
        input, output: tokens of the request and of the answer.
        cached, written: read from a cache, written to one.
        is_apart: whether those are not in `input`, as Anthropic counts.
        response_id: of the answer, where the provider may go on from it.
    """
    if not input:
        return None
    cached, written = cached or 0, written or 0
    whole = input + (cached + written if is_apart else 0)
    return Usage(
        input=whole,
        cached=cached,
        cache_write=written,
        output=output or 0,
        context=whole,
        response_id=response_id or "",
    )
