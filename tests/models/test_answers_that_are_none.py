"""A cut-off, refused, unreadable or foreign answer is none: a named fallback, never kept."""

import json

import pytest

from contextwright import C, compile
from contextwright.models import Completion, Models
from contextwright.models.callable_llm import AgentLLM
from contextwright.spec.schema import schema_text
from contextwright.testing import session_of

LONG = "The supplier confirmed order A17 and the price of 49 euros. " * 20
TALK = f"u: go | a: first {LONG} | u: on | a: second {LONG} | u: end"


class Says:
    """Gives one answer, whatever is asked."""

    id = "test:says"

    def __init__(self, text, finish_reason="stop"):
        self.completion = Completion(text=text, model=self.id, finish_reason=finish_reason)
        self.asked = 0

    async def complete(self, prompt):
        self.asked += 1
        return self.completion


@pytest.mark.parametrize(
    ("text", "reason", "named"),
    [
        ("The customer wants order A1 to be shi", "length", "cut_off"),
        ("The customer wants order A1 to be shi", "max_tokens", "cut_off"),
        ("The customer wants", "FinishReason.MAX_TOKENS", "cut_off"),
        ("Ann", "content_filter", "refused"),
        ("Ann", "refusal", "refused"),
        ("Ann", "SAFETY", "refused"),
        ("I'm sorry, but I can't help with that request.", "stop", "refused"),
        ("I cannot assist with that.", "stop", "refused"),
        ("Sorry, I can\u2019t provide a summary of this.", "stop", "refused"),
        ("I'm unable to summarize this conversation.", "stop", "refused"),
        ("As an AI language model, I cannot fulfill this.", "stop", "refused"),
        ("Es tut mir leid, aber das kann ich nicht zusammenfassen.", "stop", "refused"),
        ("\u62b1\u6b49\uff0c\u6211\u65e0\u6cd5\u63d0\u4f9b\u5e2e\u52a9\u3002", "stop", "refused"),
        ('{"scores": [{"item": 0, "score": 3}]}', "stop", "malformed"),
        ('```json\n["a"]\n```', "stop", "malformed"),
        ("A lone \ud800 surrogate.", "stop", "malformed"),
        ("\x00\x1b[31m \x1b[0m", "stop", "malformed"),
        ("", "stop", "malformed"),
        (None, "stop", "malformed"),
        (17, "stop", "malformed"),
    ],
)
def test_what_is_no_answer_is_a_named_fallback_and_is_not_kept(make_task, text, reason, named):
    llm = Says(text, reason)
    models = Models(llm)
    (answer,) = models.answer_now([make_task()])
    assert answer.model == "extractive"
    assert answer.fallback.startswith(f"{named}: ")
    assert not any(one.model == llm.id for one in models.cache.cache.entries().values())
    spec = C.window(n=1) + C.summarize(scope="before_window", max_tokens=60)
    pack = compile(session_of(TALK), spec, model="gpt-5", models=models)
    assert not isinstance(text, str) or not text.strip() or text not in pack.body.decode()
    assert any(note.startswith("summary by extractive: ") for note in pack.manifest.notes)


@pytest.mark.parametrize(
    "text",
    [
        "The customer said: I'm sorry, but I can't help you. Ann then approved A17.",
        "I can't wait was said of the delivery; A17 is due on May 3.",
        "Sorry for the delay was said; A17 was approved.",
        "[2026-05-03] Ann approved A17.",
    ],
)
def test_what_only_looks_like_it_is_taken(make_task, text):
    (answer,) = Models(Says(text)).answer_now([make_task()])
    assert (answer.value, answer.fallback) == (text, "")


def test_signs_that_no_text_has_are_taken_out(make_task):
    llm = Says("\x1b]0;title\x07Ann\x00 \x1b[1mapproved\x1b[0m A17.\x7f\nDone.\x9b")
    (answer,) = Models(llm).answer_now([make_task()])
    assert (answer.value, answer.fallback) == ("Ann approved A17.\nDone.", "")


def test_a_summary_may_be_json_where_that_was_asked(make_task):
    (answer,) = Models(Says('{"order": "A17"}')).answer_now([make_task(prompt="Answer in JSON.")])
    assert answer.fallback == ""


def test_a_record_that_was_cut_off_is_not_asked_for_again_at_once(make_task):
    llm = Says(json.dumps({"order": "A1"}), "length")
    schema = schema_text({"order": "str"})
    (answer,) = Models(llm).answer_now([make_task("record", schema=schema)])
    assert answer.model == "rules"
    assert llm.asked == 1


def test_scores_of_what_was_not_asked_are_none(make_task):
    llm = Says('{"scores": [{"item": 7, "score": 90}]}')
    (answer,) = Models(llm).answer_now([make_task("relevance", ("a b", "c d"), query="a")])
    assert answer.model == "lexical"
    assert "not asked about" in answer.fallback


class Message:
    """As LangChain gives one back."""

    def __init__(self, metadata):
        self.content, self.response_metadata = "The customer wants order A1 to be shi", metadata


@pytest.mark.parametrize("metadata", [{"finish_reason": "length"}, {"stop_reason": "max_tokens"}])
def test_an_agents_message_that_was_cut_off_is_none(make_task, metadata):
    (answer,) = Models(AgentLLM(lambda question: Message(metadata))).answer_now([make_task()])
    assert answer.fallback.startswith("cut_off: ")
    (answer,) = Models(AgentLLM(lambda question: Message({}))).answer_now([make_task()])
    assert answer.fallback == ""
