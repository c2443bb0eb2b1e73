"""Forgetting, restoring, purging, erasing, crashing and reopening, in any order."""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from contextwright.errors import StoreError
from contextwright.retention import DataSubject, Lethe, RecordSelector, RetentionPolicy
from contextwright.retention.failpoint import HOOKS

from .conftest import DAY, NOW, Stores

OLD, NEW = NOW - 100 * DAY, NOW - DAY
OWNERS = ("u-ada", "u-bob")
ADA = DataSubject("u-ada", ("Ada Lovelace",))


class Died(BaseException):
    """A process died here."""


class Forgets(RuleBasedStateMachine):
    """The model: what is there (key to owner, age, protection, refs), and what each cycle took."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.stores = Stores(self.folder)
        self.there, self.trash, self.holds = {}, {}, {}
        self.count, self.lines = 0, 0
        for owner in OWNERS:
            self.stores.session(f"s-{owner}", metadata={"user_id": owner})
        self.open()

    def open(self):
        self.lethe = Lethe(
            self.stores.journal, *self.stores.all, policies=[RetentionPolicy(max_age_days=30)],
            clock=lambda: NOW, count=len,
        )  # fmt: skip

    def teardown(self):
        HOOKS.clear()
        self.lethe.close()
        self.stores.close()
        shutil.rmtree(self.folder)

    def said(self, owner):
        self.count += 1
        return f"{'Ada Lovelace' if owner == 'u-ada' else 'Bob'} said {self.count}"

    @rule(owner=st.sampled_from(OWNERS), old=st.booleans(), how=st.sampled_from(["", "pin", "1"]))
    def remember(self, owner, old, how):
        text = self.said(owner)
        origin = [id for place, id in self.there if place == "artifacts"][-1:]
        one = self.stores.memory.write(
            text, scope=owner, time_ms=OLD if old else NEW, pinned=how == "pin", tier=int(how == "1"),
            origin=tuple(f"artifact://{name}" for name in origin if "Ada" not in name),
        )  # fmt: skip
        self.there["memory", one.id] = (owner, old, bool(how), origin)

    @rule(owner=st.sampled_from(OWNERS), old=st.booleans(), open=st.booleans())
    def note(self, owner, old, open):
        if f"s-{owner}" not in self.stores.sessions.ids():
            return
        session = self.stores.sessions.load(f"s-{owner}")
        entry = {"text": self.said(owner), "time_ms": OLD if old else NEW, "done": not open}
        session.update({"_notes_a": [*session.state.get("_notes_a", []), entry]})
        self.stores.sessions.save(session)
        self.there["sessions", entry["text"]] = (owner, old, open, [])

    @rule(owner=st.sampled_from(OWNERS), old=st.booleans())
    def ask(self, owner, old):
        text = self.said(owner)
        self.stores.cache.put(text, "yes", now_ms=OLD if old else NEW, scope=owner)
        self.there["semantic_cache", text] = (owner, old, False, [])

    @rule(owner=st.sampled_from(OWNERS), old=st.booleans())
    def keep(self, owner, old):
        text = self.said(owner)
        name = f"reports/{self.count}.md"
        self.stores.artifact(text.encode(), name, days=100 if old else 1)
        self.there["artifacts", name] = (owner, old, False, [])

    @rule(owner=st.sampled_from(OWNERS))
    def hold(self, owner):
        number = self.lethe.hold(RecordSelector(scopes=(owner,)), "case")
        self.holds[number] = owner

    @precondition(lambda self: self.holds)
    @rule()
    def release(self):
        number, _ = self.holds.popitem()
        self.lethe.release(number)

    def is_held(self, key, thing):
        return key[0] != "artifacts" and thing[0] in self.holds.values()

    def going(self):
        named = {
            key
            for key, thing in self.there.items()
            if thing[1] and not thing[2] and not self.is_held(key, thing)
        }
        live = {("artifacts", ref) for key in set(self.there) - named for ref in self.there[key][3]}
        return named - live

    def forget(self):
        gone = self.going()
        done = self.lethe.apply_retention_policy(now_ms=NOW)
        if gone:
            self.trash[done.cycle] = {key: self.there[key] for key in gone}
        self.there = {key: thing for key, thing in self.there.items() if key not in gone}
        return done

    @rule()
    def cycle(self):
        gone = self.going()
        done = self.forget()
        assert len([a for a in done.actions if a.kind != "blob"]) == len(gone)
        assert self.lethe.apply_retention_policy(now_ms=NOW).actions == ()

    @precondition(lambda self: self.trash)
    @rule(data=st.data())
    def restore(self, data):
        number = data.draw(st.sampled_from(sorted(self.trash)))
        self.lethe.restore(number)
        self.there |= {k: t for k, t in self.trash.pop(number).items() if self.has_a_home(k, t)}

    def has_a_home(self, key, thing):
        return key[0] != "sessions" or f"s-{thing[0]}" in self.stores.sessions.ids()

    @rule()
    def purge(self):
        self.lethe.purge(NOW + 1)
        for number in list(self.trash):
            kept = {k: t for k, t in self.trash[number].items() if self.is_held(k, t)}
            self.trash[number] = kept
            if not kept:
                del self.trash[number]
                with pytest.raises(StoreError):
                    self.lethe.restore(number)

    @rule()
    def erase(self):
        if "u-ada" in self.holds.values():
            with pytest.raises(StoreError, match="legal hold"):
                self.lethe.erase(ADA)
            return
        self.lethe.erase(ADA)
        self.scrub_session()
        held = self.stores.bytes()
        assert b"Ada Lovelace" not in held and b"u-ada" not in held

    def scrub_session(self):
        for kept in (self.there, *self.trash.values()):
            for key in [key for key, thing in kept.items() if thing[0] == "u-ada"]:
                del kept[key]
        self.lines = 0

    @rule()
    def reopen(self):
        self.lethe.close()
        self.stores.again()
        self.open()

    @rule(step=st.integers(1, 12), what=st.sampled_from(["cycle", "erase"]))
    def crash(self, step, what):
        if what == "erase" and "u-ada" in self.holds.values():
            return
        left = [step]

        def hook(_):
            left[0] -= 1
            if not left[0]:
                raise Died

        before = self.seen()
        HOOKS.append(hook)
        with suppress(Died):
            if what == "cycle":
                self.lethe.apply_retention_policy(now_ms=NOW)
            else:
                self.lethe.erase(ADA)
        HOOKS.clear()
        self.reopen()
        if step == 1 and self.seen() == before:
            return  # nothing was written yet
        if what == "erase":
            self.scrub_session()
        elif self.going():
            gone = self.going()
            self.trash[self.lethe.cycles()[-1].number] = {key: self.there[key] for key in gone}
            self.there = {key: thing for key, thing in self.there.items() if key not in gone}

    def seen(self):
        stores = self.stores
        notes = [stores.sessions.load(id).state.get("_notes_a", []) for id in stores.sessions.ids()]
        return (
            {("memory", each.memory.id) for each in stores.memory.listed()}
            | {("sessions", note["text"]) for each in notes for note in each}
            | {("semantic_cache", each.query) for each in stores.cache.entries()}
            | {("artifacts", named.name) for named in stores.artifacts.names()}
        )

    @invariant()
    def what_is_there_is_what_the_model_says(self):
        assert self.seen() == set(self.there)

    @invariant()
    def no_name_is_without_its_bytes(self):
        for named in self.stores.artifacts.names():
            assert self.stores.artifacts.get(f"artifact://{named.name}")

    @invariant()
    def the_audit_only_grows(self):
        lines = self.lethe.audit()
        assert len(lines) >= self.lines
        self.lines = len(lines)
        assert "said" not in str([line.why for line in lines])


TestForgets = Forgets.TestCase
TestForgets.settings = settings(stateful_step_count=25, deadline=None)
