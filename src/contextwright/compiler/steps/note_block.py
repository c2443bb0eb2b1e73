"""The note as a block: what stands for the exchanges before a step."""

from collections.abc import Sequence

from contextwright.blocks.block import Block, Message
from contextwright.blocks.escape import section
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import range_ref
from contextwright.compiler.steps.decide import Decisions, Economy
from contextwright.compiler.steps.file_states import told_files
from contextwright.compiler.steps.forms import entry
from contextwright.compiler.steps.note_pages import page_of, pages_line
from contextwright.session.event import Text
from contextwright.spec.inputs import Inputs

SOURCE = "earlier"


def first_noted(decisions: Decisions) -> int:
    """The first exchange that the note stands for; `upto` where there is none."""
    held = set(decisions.held)
    return next((at for at in range(decisions.upto) if at not in held), decisions.upto)


def note_block(
    blocks: Sequence[Block], decisions: Decisions, economy: Economy, inputs: Inputs
) -> Block | None:
    """What stands for the exchanges before `upto`: a message of its own behind the task, so that
    a new one leaves the instruction's place in a cache alone."""
    first, held = first_noted(decisions), set(decisions.held)
    if first == decisions.upto:
        return None
    last = next(at for at in range(decisions.upto - 1, -1, -1) if at not in held)
    space = economy.space
    lines = [entry(blocks[at], form, inputs, page_of(space)).text for at, form in decisions.forms]
    lines += told_files(decisions.files, blocks, decisions.upto, inputs.count)
    if decisions.index:
        lines.append("[Also named there: " + " ".join(word for word, _ in decisions.index) + "]")
    shown = {*held, *(at for at, _ in decisions.forms)}
    if line := pages_line(blocks, decisions.upto, decisions.pages, space, inputs, shown):
        lines.append(line)
    ref = range_ref(blocks[first].lineage[0], blocks[last].lineage[-1])
    text = section(
        "\n".join(lines) or "(in full behind the ref)", source=SOURCE, ref=ref, sign=inputs.sign
    )
    count = decisions.upto - sum(at < decisions.upto for at in decisions.held)
    return Block(
        id=f"{SOURCE}/{blocks[first].lineage[0]}",
        source=SOURCE,
        layer=Layer.CONVERSATION,
        messages=(Message("user", (Text(text=text),)),),
        cache=CacheClass.SESSION,
        fidelity=Fidelity.SUMMARIZED,
        ref=ref,
        why=f"step {decisions.steps}: {count} exchanges in one note",
    )
