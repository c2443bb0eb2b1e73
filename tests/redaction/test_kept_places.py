"""Redacted text is in nothing that is kept or asked beside the request: answers of models, what they
were asked, artifacts, state that words write, logs. For every word."""

import logging
from functools import cache

import pytest
from msgspec.structs import replace
from tests.parameters import few
from tests.rules.samples import SAMPLES

from contextwright import C, Engine, FileArtifacts, Session, Vault, compile, record
from contextwright.compiler import replay
from contextwright.errors import ContextwrightError, SpecError
from contextwright.models import Models, ScriptedLLM
from contextwright.models.answer_cache import RecentAnswers
from contextwright.session.event import Text, ToolCall, ToolResult
from contextwright.spec.word_roles import Writer
from contextwright.stores import SQLiteAnswers
from contextwright.testing.rule_sessions import SESSIONS, WORD_STATE
from contextwright.testing.word_suite import standing

SECRETS = ("sentinel.person@example.com", "ghp_s3nT1nElAbCdEfGhIjKlMnOpQrStUvWxYz01")
MAIL, KEY = SECRETS
PARTS = (*SECRETS, "sentinel.person", "ghp_s3nT1nEl")
PROSE = " ".join(f"In case {n} ask {MAIL} for the key {KEY} of site {n}." for n in range(30))
MORE = {
    "capture": (C.capture("said", what="output"),),
    "write_notes": (
        C.write_notes("case", strategy="replace"),
        C.write_notes("case", strategy="merge"),
        C.write_notes("case", strategy="checklist"),
    ),
}


@cache
def events(name: str):
    """A session of the rules, its words and results with a secret in each."""

    def with_secret(part):
        if isinstance(part, Text):
            return Text(text=f"{part.text} Ask {MAIL}.\n- [ ] ask {MAIL}")
        if isinstance(part, ToolResult):
            return ToolResult(
                call_id=part.call_id,
                content=(*part.content, Text(text=PROSE)),
                status=part.status,
            )
        if isinstance(part, ToolCall):
            return ToolCall(id=part.id, name=part.name, arguments=f'{{"to": "{MAIL}"}}')
        return part

    return [
        replace(event, parts=tuple(map(with_secret, event.parts))) for event in SESSIONS[name]().log
    ]


def secrets_in(text: str) -> list[str]:
    return [part for part in PARTS if part in text]


def answers(prompt) -> str:
    """A model that repeats what it reads."""
    return prompt.text[-2000:]


class Embedder:
    id = "recording"

    def __init__(self):
        self.texts = []

    async def embed(self, texts):
        self.texts += texts
        return [[float(len(text)), 1.0] for text in texts]


@pytest.mark.parametrize("name", few(sorted(SESSIONS), 1))
@pytest.mark.parametrize("word", few(sorted(SAMPLES), 15))
def test_no_word_brings_it_where_something_is_kept(word, name, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    for number, sample in enumerate((*SAMPLES[word], *MORE.get(word, ()))):
        session = Session(name, events(name), state=dict(WORD_STATE))
        session.assistant(f"Done. Ask {MAIL} and use {KEY}.\n- [ ] ask {MAIL}", author="critic")
        llm, embedder = ScriptedLLM(answers), Embedder()
        kept = RecentAnswers() if name == "agent" else SQLiteAnswers(tmp_path / f"{number}.db")
        models = Models(None if name == "mixed" else llm, embedder, answers=kept)
        store = FileArtifacts(tmp_path / f"artifacts-{number}")
        spec = standing(sample) | C.redact(["email", "secrets"])
        engine = Engine(spec, "gpt-5", models=models, artifacts=store)
        before = len(session.changes)
        try:
            engine.compile(session)
            engine.record(session)
            session.user(f"And {MAIL}?")
            session.assistant(f"It is {MAIL}.", author="critic")
            engine.compile(session)
            engine.record(session)
        except ContextwrightError as error:
            assert secrets_in(f"{error} {error.as_dict()!r}") == []
        asked = [prompt.system + prompt.text for prompt in llm.prompts] + embedder.texts
        assert secrets_in("".join(asked)) == [], "asked"
        assert asked or word not in {"summarize", "distill"} or name == "mixed"
        assert secrets_in("".join(one.text for one in kept.records())) == [], "answers"
        assert secrets_in(repr(session.changes[before:])) == [], "state"
        for path in (tmp_path / f"artifacts-{number}").rglob("*"):
            assert secrets_in(str(path)) == []
            assert not path.is_file() or secrets_in(path.read_text("utf-8", "replace")) == []
    assert secrets_in(caplog.text) == [], "log"


def test_what_a_word_of_ones_own_writes_is_cleaned_too(tmp_path):
    session = Session("s", state={"kept": [f"before: {MAIL}"]})
    session.user(f"I am {MAIL}")
    store = FileArtifacts(tmp_path)
    record(session, C.default() + Told() | C.redact("email"), artifacts=store)
    assert session.state["before"] == {"[REDACTED]": "I am [REDACTED]"}
    # what was there stays, and so do ids of events
    assert session.state["kept"] == [f"before: {MAIL}", "after: [REDACTED]", session.log[0].id]
    assert store.get(session.state["put"]).decode() == "it is [REDACTED]"


def test_a_checklist_is_ticked_by_its_redacted_items():
    session = Session("s")
    session.user("go on")
    session.assistant(f"- [ ] write to {MAIL}")
    spec = C.default() + C.write_notes("todo", strategy="checklist") | C.redact("email")
    record(session, spec)
    session.assistant(f"- [x] write to {MAIL}")
    record(session, spec)
    assert session.state["_notes_todo"] == [{"text": "write to [REDACTED]", "done": True}]


def test_record_hands_the_vault_and_the_detector_on():
    session = Session("s")
    session.user("I am Ada Lovelace")
    found = Vault(key="0123456789abcdef")
    spec = C.default() + C.capture("who") | C.redact(entities=["PERSON"], operator="pseudonymize")
    record(session, spec, vault=found, detector=find_ada)
    assert session.state["who"].startswith("I am [person_")
    assert found.restore(session.state["who"]) == "I am Ada Lovelace"
    with pytest.raises(SpecError, match="takes a vault"):
        record(session, spec)


def find_ada(text):
    place = text.find("Ada Lovelace")
    return [(place, place + 12, "PERSON")] if place >= 0 else []


class Told(Writer, frozen=True, kw_only=True):
    """Writes the user's words, before the turn and after it."""

    def before(self, snapshot):
        return {"before": {MAIL: snapshot.log[0].text}}

    def after(self, turn):
        yield from ()
        kept = [*turn.snapshot.state["kept"], f"after: {MAIL}", turn.snapshot.log[0].id]
        return {"kept": kept, "put": turn.put(f"it is {MAIL}".encode(), f"{MAIL}.txt")}


def test_a_secret_that_a_model_utters_itself_is_in_no_manifest():
    session = Session("s")
    for n in range(6):
        session.user(f"turn {n}")
        session.assistant(f"answer {n}, and why. " * 40)
    session.user("now?")
    said = Models(ScriptedLLM("It says bob.secret@example.com"))
    spec = C.window(n=2) + C.summarize(scope="before_window") | C.redact("pii")
    pack = compile(session, spec, model="gpt-5", models=said)
    assert [answer.kind for answer in pack.manifest.answers] == ["summary"]
    assert b"bob.secret" not in pack.manifest.to_json()
    assert replay(pack.manifest, session).body == pack.body
