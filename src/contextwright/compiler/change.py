"""What steps of a compile did to blocks: the entries of a receipt."""

import msgspec

Action = str
"""`dropped`, or what became of the block: `compacted`, `truncated`, `redacted`, `changed`..."""


class Change(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What one step did to one block, or to neighbouring exchanges of the log alike.

    Args:
        id: the block; of several the first.
        source: the term of the spec that brought it.
        layer: what it is for.
        step: the step, as code, or the name of the engine's own step.
        action: `dropped`, `compacted`, `summarized`, `truncated`, `redacted`, `changed`.
        reason: why, in a few words.
        tokens_before: tokens it would have taken.
        tokens_after: tokens it takes now.
        ref: where the original can be read again.
        lineage: ids of the events that it shows; of a range none, for its ends name them.
        last: of a range, the last event in it; empty for a single block.
        exchanges: how many exchanges the range has.
    """

    id: str
    source: str
    layer: str
    step: str
    action: Action
    reason: str
    tokens_before: int
    tokens_after: int
    ref: str
    lineage: tuple[str, ...]
    last: str = ""
    exchanges: int = 1


class StepTrace(msgspec.Struct, frozen=True):
    """What went into a step and what came out, for `ctx explain`.

    Args:
        changed: whether any block came out other than it went in, or not at all.
    """

    step: str
    blocks_before: int
    blocks_after: int
    tokens_before: int
    tokens_after: int
    changed: bool = True
