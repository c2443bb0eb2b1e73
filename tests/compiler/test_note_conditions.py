"""What a note keeps of what agents and tools lay down, in whose words no user repeats it."""

import json

from contextwright import C, Engine, Session

APPROVAL = {
    "request": "CHG-30551",
    "state": "approved",
    "conditions": ["zone b first, then 20 minutes of soak", "tell #pricing-night before zone a"],
    "expires": "2026-11-24T03:00:00Z",
}


def sent(begin, budget=6_000):
    """What is sent once a hundred calls lie behind a beginning."""
    session, engine = Session("s"), Engine(C.default() | C.compaction(budget), "gpt-5")
    session.user("Roll the release back.")
    begin(session)
    for n in range(100):
        session.assistant(f"I look at pod {n}.", author="watcher")
        session.call("read_pod", {"pod": f"pod-{n}"}, id=f"p{n}", author="watcher")
        session.result(f"p{n}", f"pod-{n} used {n * 37} MB and wrote {n * 11} lines " * 20)
        if n % 10 == 0:
            engine.compile(session)
    return engine.compile(session).request["messages"][1]["content"]


def call(session, name, arguments, result):
    session.call(name, arguments, id=f"c{len(session.log)}")
    session.result(f"c{len(session.log) - 1}", json.dumps(result))


def test_conditions_of_an_approval_outlive_all_steps():
    def begin(session):
        call(session, "get_approval", {"request": "CHG-30551"}, {"state": "pending"})
        call(session, "get_approval", {"request": "CHG-30551"}, APPROVAL)

    shown = sent(begin)
    assert "get_approval CHG-30551 → " in shown
    assert "conditions zone b first, then 20 minutes of soak" in shown
    assert "expires 2026-11-24T03:00:00Z" in shown
    assert "pending" not in shown


def test_what_an_agent_says_of_a_tool_s_conditions_is_told_once():
    def begin(session):
        call(session, "get_calendar", {"of": "eu"}, {"note": "The zone is frozen until 02:30 UTC."})
        session.assistant("The calendar says: the zone is frozen until 02:30 UTC.")

    shown = sent(begin)
    assert shown.count("frozen until 02:30 UTC") == 1


def test_what_one_agent_lays_down_for_the_others_outlives_all_steps():
    def begin(session):
        session.assistant(
            "Rules for whoever goes on:\n- Seats 61 to 66 belong to the crew and are never sold.\n"
            "- Use seed 4711 in each run.\nHanding over to watcher.",
            author="planner",
        )
        session.assistant("Thanks, I begin.", author="watcher")

    shown = sent(begin)
    assert "Seats 61 to 66 belong to the crew and are never sold." in shown
    assert "Use seed 4711 in each run." in shown
