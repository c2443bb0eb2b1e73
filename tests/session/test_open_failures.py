"""Which failures stand is carried on from event to event, and is what a look at all of them says."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.session import Event, Log, Session, Text, ToolCall, ToolResult
from contextwright.session.call_outcomes import CallOutcomes

KINDS = ("f", "g")
STATUSES = ("ok", "error", "interrupted", "pending")


@st.composite
def logs(draw: st.DrawFn) -> list[Event]:
    """Calls, one or several at once, whose results come in any order, late, twice or never."""
    events, made = list[Event](), list[str]()
    for n in range(draw(st.integers(1, 14))):
        kind = draw(st.sampled_from(["calls", "results", "results", "results", "user"]))
        if kind == "calls" or (kind == "results" and not made):
            names = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=3))
            ids = [f"k{n}.{place}" for place in range(len(names))]
            made += ids
            parts = [ToolCall(id=id, name=name) for id, name in zip(ids, names, strict=True)]
            events.append(Event(id=f"e{n}", role="assistant", parts=tuple(parts)))
        elif kind == "results":
            ids = draw(st.lists(st.sampled_from(made), min_size=1, max_size=2))
            answers = [
                ToolResult(call_id=id, name="f", status=draw(st.sampled_from(STATUSES)))
                for id in ids
            ]
            events.append(Event(id=f"e{n}", role="tool", parts=tuple(answers)))
        else:
            events.append(Event(id=f"e{n}", role="user", parts=(Text(text="Go on."),)))
    return events


@given(logs())
def test_what_stands_is_what_a_look_at_all_says(events):
    growing, whole = Session("s"), Session("s", events)
    for position, event in enumerate(events, 1):
        growing.append(event)
        stands = growing.snapshot().open_failures
        assert stands == whole.snapshot_at(position, 0).open_failures
        assert stands == Session("s", events[:position]).snapshot().open_failures
        assert stands == Session("s", list(growing.fork(id="t").log)).snapshot().open_failures


def test_what_was_made_good_is_not_looked_at_again(monkeypatch):
    def call(n: int, name: str, status: str) -> list[Event]:
        answer = ToolResult(call_id=f"k{n}", name=name, status=status)
        return [
            Event(id=f"c{n}", role="assistant", parts=(ToolCall(id=f"k{n}", name=name),)),
            Event(id=f"r{n}", role="tool", parts=(answer,)),
        ]

    log = Log()
    for n in range(50):  # each kind fails, and then succeeds
        log.extend([*call(2 * n, f"tool{n}", "error"), *call(2 * n + 1, f"tool{n}", "ok")])
    assert not log.unmended_failures(len(log))
    asked, unmended = list[int](), CallOutcomes.unmended
    monkeypatch.setattr(
        CallOutcomes,
        "unmended",
        lambda outcomes, at: unmended(outcomes, lambda n: asked.append(n) or at(n)),
    )
    log.extend(call(200, "other", "error"))
    assert [kind for kind, _ in log.unmended_failures(len(log))] == ["other"]
    assert asked == [100]
