"""What an agent or a tool lays down for those who go on (ADR 202)."""

import json

import pytest

from contextwright.text.conditions import lays_down, said_conditions, told_conditions

LAID_DOWN = (
    "Production is locked from 18:00 to 06:00.",
    "The change window closes at 04:30 UTC.",
    "Vendor credentials expire on 3 December.",
    "Migrations are on hold until Monday.",
    "The library desk opens Monday 09:00.",
    "The table orders_v2 must not be written to while the backfill runs.",
    "This environment may only be restarted by the platform team.",
    "Any refund above 200 EUR requires a supervisor's approval.",
    "Do not merge to release/9 before QA has signed off.",
    "Only the on-call lead may lift the embargo.",
    "No schema changes until the audit is over on 12 May.",
    "Zone c refused: frozen until 02:30 UTC because of the migration.",
    "Approval granted on condition that the backup finishes first.",
    "The judge sealed the file; nothing in it may be quoted.",
    "Shipments over 30 kg need two people.",
    "Seats 61 to 66 belong to the crew and are never sold.",
    "The allocator has to finish within 400 ms for a full train.",
)
OTHERS = (
    "The tests passed at 14:02.",
    "I must not forget the logs.",
    "You must not restart it yourself.",
    "The file was last changed on Monday.",
    "It may not be the database.",
    "Some of it may not be parsed correctly.",
    "There must be a typo somewhere.",
    "No errors since 14:00.",
    "The user asked to close the ticket by Friday.",
    "The queue was blocked for a minute.",
    "Shall nothing be done until Monday?",
    "The report needs the approval column.",
    "```\nif closed: raise ValueError('must not be closed')\n```",
)


@pytest.mark.parametrize("sentence", LAID_DOWN)
def test_what_says_until_when_or_forbids_lays_something_down(sentence):
    assert said_conditions(f"It is done. {sentence}", False) == (sentence,)
    assert told_conditions(f"id 7\n{sentence}\nok") == (sentence,)
    assert lays_down(f"get_window(7) → state open; {sentence}")


@pytest.mark.parametrize("sentence", OTHERS)
def test_what_tells_advises_or_asks_lays_nothing_down(sentence):
    assert said_conditions(sentence, False) == ()


def test_what_is_said_to_another_agent_may_have_any_wording_of_a_rule():
    rule = "Builder, please treat coach 264 as ending at Salzburg."
    assert said_conditions(rule, False) == ()
    assert said_conditions(rule, True) == (rule,)


def test_a_field_says_until_when_or_on_what_condition():
    approval = {
        "request": "CHG-30551",
        "state": "approved",
        "conditions": ["zone b first, then 20 minutes of soak", "tell #pricing before zone a"],
        "expires": "2026-11-24T03:00:00Z",
        "note": "Thanks for asking. Do not restart the writer.",
    }
    assert told_conditions(json.dumps(approval)) == (
        "conditions zone b first, then 20 minutes of soak",
        "conditions tell #pricing before zone a",
        "expires 2026-11-24T03:00:00Z",
        "Do not restart the writer.",
    )


@pytest.mark.parametrize(
    "result",
    [
        json.dumps({"conditions": "Partly Cloudy", "expires_in": 3600}),
        json.dumps([{"hold": n, "expires": f"2026-11-{n}T10:00"} for n in range(10, 30)]),
        "\n".join(f"{n}. Rule {n} must not be broken." for n in range(12)),
        "The door must not be opened. " * 400,
    ],
)
def test_a_column_the_weather_and_a_manual_lay_nothing_down(result):
    assert told_conditions(result) == ()
