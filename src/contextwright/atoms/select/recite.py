"""`C.recite()`: goal, progress and next step once more at the very end
(phased-injection.md#recitation)."""

from collections.abc import Mapping
from itertools import islice
from typing import Any, ClassVar

import msgspec

from contextwright.atoms.select.from_state import plain_text
from contextwright.atoms.write.write_notes import items_of
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import Ref
from contextwright.blocks.todo_states import SEEN, todo_states, todo_updates
from contextwright.session.state import NOTES_PREFIX
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.tasks.plan_step import PLAN
from contextwright.text.speakers import is_another
from contextwright.text.todo_lists import is_todo_tool

SOURCE = "recite"
LISTS, LINE = 3, 300
"""To-do lists that are told, those that were changed last, and tokens of each."""


class Todo(msgspec.Struct, frozen=True):
    """Where a task stands."""

    goal: str
    done: int = 0
    total: int = 0
    next: str = ""

    @property
    def text(self) -> str:
        """As a model reads it; nothing where nothing is known."""
        lines = [f"Current Goal: {self.goal}"] if self.goal else []
        if self.total:
            lines.append(f"Progress: {self.done}/{self.total} steps completed")
        if self.next:
            lines.append(f"Next: {self.next}")
        return "\n".join(lines)


class Recite(Atom, frozen=True, kw_only=True):
    """Behind the user's newest words, or behind the trace since: what the task is, how far it is,
    what comes next. Where the state says nothing of it, the to-do list that the agent keeps by
    calls (`TodoWrite`, `update_plan`, `write_todos`, ...), as it is by now.

    Args:
        todo: the checklist's notes key: `C.write_notes(todo, strategy="checklist")` keeps one.
        key: state key of the step, whose goal counts; a text there is the goal itself.
    """

    word: ClassVar[str] = "recite"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT

    todo: str = "todo"
    key: str = PLAN

    def bring(self, inputs: Inputs) -> Blocks:
        """One block, or none."""
        state = inputs.snapshot.state
        if text := todo_of(state, self.todo, self.key).text:
            ref = str(Ref("state", self.key if self.key in state else NOTES_PREFIX + self.todo))
            return (_block(text, ref, (f"state:{self.key}",)),)
        text, ref = _called_lists(inputs)
        return (_block(text, ref, ()),) if text else ()


def _block(text: str, ref: str, lineage: tuple[str, ...]) -> Block:
    return Block(
        id=SOURCE,
        source=SOURCE,
        layer=Layer.TASK,
        text=text,
        cache=CacheClass.DYNAMIC,
        ref=ref,
        lineage=lineage,
    )


def _called_lists(inputs: Inputs) -> tuple[str, str]:
    """The to-do lists that the agent keeps by calls, a line each, and a ref to the newest call."""
    called = inputs.snapshot.log.called_tools(inputs.snapshot.position)
    tools = dict.fromkeys(
        tool
        for author, tool in called
        if is_todo_tool(tool) and not is_another(author, inputs.agent)
    )
    blocks = {block.order: block for tool in tools for block in _changes_by(tool, inputs)}
    changes = tuple(blocks[order] for order in sorted(blocks))
    table = inputs.memo.table(("called lists", inputs.counter_id))
    return table.remembered(changes, lambda changes: _lines_of(changes, inputs))


def _changes_by(tool: str, inputs: Inputs) -> Blocks:
    """The exchanges in which a tool made a list what it is, from the last one on that wrote all of
    it: mostly the newest alone."""
    snapshot = inputs.snapshot
    newest = inputs.readable(snapshot.exchanges_of(islice(snapshot.newest("tool", tool), 1)))
    if all(map(_writes_all, newest)):
        return newest
    blocks = inputs.readable(snapshot.exchanges_of(islice(snapshot.newest("tool", tool), SEEN)))
    whole = [place for place, block in enumerate(blocks) if _writes_all(block)]
    return blocks[whole[-1] :] if whole else blocks


def _writes_all(block: Block) -> bool:
    return any(update and update.whole for update in todo_updates(block))


def _lines_of(changes: Blocks, inputs: Inputs) -> tuple[str, str]:
    states = todo_states(changes, range(len(changes)), lambda block: "")[:LISTS]
    lines = [state.list.line(LINE, inputs.count) for state in states]
    return "\n".join(filter(None, lines)), changes[-1].ref if lines else ""


def todo_of(state: Mapping[str, Any], todo: str, key: str) -> Todo:
    """Where the task stands: the goal of the step, the ticks of the checklist."""
    plan: Any = state.get(key)
    goal, next_ = "", ""
    if isinstance(plan, Mapping):
        do: Any = plan.get("do") or plan.get("step") or ()
        goal = str(plan.get("goal") or "")
        next_ = "; ".join(map(str, do)) if isinstance(do, (list, tuple)) else str(do)
    elif plan is not None:
        goal = plain_text(plan)
    items = items_of(state.get(NOTES_PREFIX + todo))
    open_ = [item for item in items if not _is_done(item)]
    if items:
        next_ = _text(open_[0]) if open_ else ""
    return Todo(_line(goal), len(items) - len(open_), len(items), _line(next_))


def _is_done(item: Mapping[str, Any]) -> bool:
    return bool(item.get("done", str(item.get("text", "")).lower().startswith("[x]")))


def _text(item: Mapping[str, Any]) -> str:
    return str(item.get("text", "")).removeprefix("[ ]").strip()


def _line(text: str) -> str:
    return " ".join(text.split())
