"""The handful of sessions over which every rule is checked for every word.

Every text is told from every other by a mark of its own (`U3`, `R5`), so that a check can say
where a text came from, wherever in a request it stands.
"""

from collections.abc import Callable
from functools import cache

from contextwright.session.event import Image, Text, Thinking, ToolCall, ToolResult
from contextwright.session.session import Session
from contextwright.testing.session_strategies import PLAN_STATE

PRIVATE_ADDRESS = "bob.secret@example.com"
"""Stands in one old message and one old result, for the rule that it never reappears."""

WORD_STATE = {
    "intent": "compare the offers",
    "profile": {"name": "Ada", "plan": "gold"},
    "plan": PLAN_STATE,
    "todo": [{"text": "read the offers", "done": True}, {"text": "rank them", "done": False}],
    "_notes_case": [{"text": "Offer A costs 900 euros."}, {"text": "Offer B is late."}],
    "evidence": [{"uri": "artifact://tasks/42/step-3/1.md", "summary": "Offer A in full."}],
    "knowledge": [{"text": "The buyer prefers short contracts.", "score": 0.9, "time": "2026"}],
}
"""What the words that read state find."""


def prose(mark: str, sentences: int) -> str:
    """A text of so many sentences that no other mark shares."""
    return " ".join(
        f"{mark} sentence {n} tells of item {mark}-{n} and costs {n * 17} euros."
        for n in range(1, sentences + 1)
    )


def rows(mark: str, count: int) -> str:
    """A JSON result of so many rows."""
    items = [
        f'{{"id": "{mark}-{n}", "price": {n * 7}, "note": "{mark} row"}}' for n in range(count)
    ]
    return f'{{"results": [{", ".join(items)}]}}'


def _call(session: Session, tool: str, text: str, *, error: bool = False) -> None:
    id = f"call-{len(session)}"
    session.call(tool, f'{{"path": "/src/{id}.py"}}', id=id, author="coder")
    session.result(id, text, error=error)


def chat() -> Session:
    """Seven finished turns of two agents, a pinned one, a tagged one, and a new question."""
    session = Session("chat", state=WORD_STATE)
    session.add("system", "SYS You are a careful buyer.")
    session.user(f"U0 {prose('task', 3)}")
    for turn in range(1, 8):
        author = "researcher" if turn % 2 else "critic"
        session.assistant(
            prose(f"A{turn}", 2 + 4 * (turn % 3)),
            author=author,
            tags=("approved",) if turn == 2 else (),
        )
        if turn % 3 == 0:
            _call(session, "search", rows(f"R{turn}", 12))
        text = f"U{turn} {prose(f'ask{turn}', 1 + turn % 2)}"
        session.user(f"{text} Write to {PRIVATE_ADDRESS}." if turn == 2 else text, pinned=turn == 3)
    return session


def agent_run() -> Session:
    """One task and fourteen calls: all of it is the running turn. Of two failures of `test`, the
    older is superseded; `build` failed and worked later; `deploy` failed and stays open."""
    session = Session("agent", state=WORD_STATE)
    session.add("system", "SYS You are a careful engineer.")
    session.user(f"U0 {prose('task', 4)}")
    for step in range(14):
        if step in {2, 5}:
            _call(session, "test", f"Error: E{step} assertion {step} failed", error=True)
        elif step == 3:
            _call(session, "deploy", "Error: E3 no route to host", error=True)
        elif step == 4:
            _call(session, "build", "Error: E4 missing header", error=True)
        elif step == 6:
            _call(session, "build", f"R6 built {prose('R6', 2)}")
        else:
            text = rows(f"R{step}", 15) if step % 2 else prose(f"R{step}", 12)
            _call(session, "read", f"{text} {PRIVATE_ADDRESS}" if step == 1 else text)
    return session


def mixed() -> Session:
    """Parallel, late, doubled, interrupted and orphaned results, a picture, signed reasoning."""
    session = Session("mixed", state=WORD_STATE)
    session.user(f"U0 {prose('task', 2)}", Image(data="aGk=", width=640, height=480))
    calls = [ToolCall(id=f"p{n}", name="search", arguments=f'{{"q": "{n}"}}') for n in range(3)]
    session.assistant(Text(text="A1 three at once"), *calls, author="researcher")
    for call in reversed(calls):
        session.result(call.id, rows(f"R{call.id}", 9))
    session.user("U1 and then")
    session.call("search", '{"q": "late"}', id="late")
    session.user("U2 meanwhile")
    session.result("late", f"RL {prose('late', 9)}")
    session.result("late", f"RD {prose('doubled', 9)}")
    session.call("read", '{"path": "/never"}', id="interrupted")
    session.user(f"U3 {prose('ask3', 1)}")
    orphan = ToolResult(call_id="nobody", content=(Text(text="RO nobody asked"),))
    session.add("tool", orphan)
    session.assistant(
        Thinking(text="T1 I weigh the offers", signature="c2ln", provider="anthropic"),
        Text(text=f"A2 {prose('A2', 12)}"),
    )
    session.user(f"U4 {prose('ask4', 1)}")
    _call(session, "search", rows("R9", 12))
    return session


SESSIONS: dict[str, Callable[[], Session]] = {
    name: cache(build) for name, build in (("chat", chat), ("agent", agent_run), ("mixed", mixed))
}
"""By name; each is built once, for a rule says that no compile changes it."""
