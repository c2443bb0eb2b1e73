"""What a step of google-adk's costs is told by the step, not by the session behind it."""

import pytest
from google.adk.events import Event
from google.genai import types
from tests.work_counts import function_calls

from contextwright.adapters.adk.mirror import EVERYTHING, Mirror

STEPS = 120


def part_event(author, **part):
    role = "user" if "function_response" in part else "model"
    content = types.Content(role=role, parts=[types.Part(**part)])
    return Event(author=author, invocation_id="run", content=content)


@pytest.fixture(scope="module")
def events():
    made = [part_event("user", text="read all")]
    for number in range(STEPS):
        named = {"id": f"c{number}", "name": "read"}
        call = types.FunctionCall(**named, args={"path": f"f{number}"})
        response = types.FunctionResponse(**named, response={"result": "a line\n" * 50})
        made += [
            part_event("reader", function_call=call),
            part_event("reader", function_response=response),
        ]
    return made


def test_a_late_step_does_no_more_than_an_early_one(events):
    mirror = Mirror("session", EVERYTHING)
    works = [
        function_calls(lambda stop=stop: mirror.sync(events[:stop], {"topic": "files"}))
        for stop in range(1, len(events) + 1, 2)
    ]
    assert works[-1] <= works[5] * 1.05, works[::20]


def test_an_event_is_dumped_once(events, monkeypatch):
    dumped = []
    own = Event.model_dump
    monkeypatch.setattr(
        Event, "model_dump", lambda self, **how: dumped.append(self.id) or own(self, **how)
    )
    mirror = Mirror("session", EVERYTHING)
    for stop in range(1, len(events) + 1, 2):
        mirror.sync(events[:stop], {})
    assert dumped == [event.id for event in events]
