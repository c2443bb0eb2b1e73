"""Every rule of a compile, checked for a word.

from contextwright.testing import WordSuite

class TestMyWord(WordSuite):
samples = (C.my_word(), C.my_word(n=3))
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import ClassVar

import msgspec
import pytest

from contextwright.compiler.trace import enforce_protection
from contextwright.engine.one_call import compile
from contextwright.errors import BudgetError, ProtectionError, RefError, SpecError, StepError
from contextwright.session.session import Session
from contextwright.spec.expr import ATOMS, Atom, Chain, Expr, Fallback, Pipe, Union, When, is_bare
from contextwright.spec.kind import Kind
from contextwright.testing.builders import FORMATS, target_for
from contextwright.testing.rule_sessions import PRIVATE_ADDRESS, SESSIONS
from contextwright.testing.rules import RULES, Case, state_of, stored_again
from contextwright.testing.violation import RuleViolation
from contextwright.words import C

REDACTED = "redacted-never-reappears"
IDEMPOTENT = "compacting-twice-is-compacting-once"
PROTECTED = "protected-blocks-stay"
WORD_RULES = (*RULES, PROTECTED, REDACTED, IDEMPOTENT)
"""The names of the rules that a word must keep."""
RULES_OF_PROTECTION = {
    "the user's words": "user-words-are-never-rewritten",
    "task framing": "task-framing-stays",
    "the live edge": "live-edge-stays",
    "pinned": "pinned-stays",
    "the newest open failure": "open-failures-stay",
    "the provider's compaction": "pinned-stays",
    "the system instruction": "system-instruction-stays",
}
"""The rule that a step broke, by what the tracer says that it touched."""


class Refused(msgspec.Struct, frozen=True):
    """A compile that the tracer stopped: a step touched what is protected."""

    rule: str
    place: str
    what: str


class WordSuite:
    """Subclass it in a test module and give `samples`: specs whose word is to be checked."""

    samples: ClassVar[tuple[Expr, ...]] = ()

    @pytest.mark.parametrize("rule", WORD_RULES)
    def test_the_word_keeps(self, rule: str) -> None:
        """Every rule over every session, for every sample."""
        assert self.samples, "give samples = (C.my_word(),)"
        check_rule(rule, *self.samples)


def check_rule(rule: str, *samples: Expr, formats: Iterable[str] = FORMATS) -> None:
    """Check one rule for some specs over the sessions of `rule_sessions`.

    Args:
        rule: a name out of `WORD_RULES`.
        samples: specs; each is made to stand on the conversation.
        formats: providers that the requests are for.

    Raises:
        RuleViolation: names rule, word, and event.
    """
    for sample in samples:
        spec = standing(sample)
        for name in SESSIONS:
            for format in formats:
                for place, what in _breaches(rule, spec, name, format):
                    raise RuleViolation(rule, repr(sample), f"{name}/{format}/{place}", what)


def _breaches(rule: str, spec: Expr, session: str, format: str) -> Iterator[tuple[str, str]]:
    if rule == REDACTED:
        yield from _redacted(case_of(spec | C.redact("email"), session, format))
    elif rule == IDEMPOTENT:
        yield from _idempotent(spec, session, format)
    else:
        yield from _broken(rule, case_of(spec, session, format))


def _broken(rule: str, case: "Case | Refused | None") -> Iterator[tuple[str, str]]:
    if isinstance(case, Refused):
        if case.rule == rule:
            yield case.place, case.what
    elif case is not None and rule in RULES:
        yield from RULES[rule](case)


def _redacted(case: "Case | Refused | None") -> Iterator[tuple[str, str]]:
    """rules.md#twice-is-once: neither in the request nor in its receipt."""
    if isinstance(case, Case):
        if PRIVATE_ADDRESS in case.pack.body.decode():
            yield "request", "a redacted text is sent"
        if PRIVATE_ADDRESS in repr(case.pack.manifest):
            yield "manifest", "a redacted text is in the manifest"


def _idempotent(spec: Expr, session: str, format: str) -> Iterator[tuple[str, str]]:
    """rules.md#twice-is-once: a transform behind itself changes nothing."""
    last = spec.steps[-1] if isinstance(spec, Pipe) else None
    if last is None or last.kind is not Kind.TRANSFORM:
        return
    once, twice = case_of(spec, session, format), case_of(spec | last, session, format)
    if isinstance(once, Case) and isinstance(twice, Case) and once.pack.body != twice.pack.body:
        yield "request", "other bytes when the word is applied twice"


@lru_cache(maxsize=4096)
def case_of(spec: Expr, session: str, format: str) -> Case | Refused | None:
    """The compile of a session of `SESSIONS`; None where the spec's own limit is too small. A
    summary that was made for one target goes on for another, so each has a session of its own."""
    return compiled(stored_again(SESSIONS[session]()), spec, format)


def compiled(session: Session, spec: Expr, format: str = "openai-chat") -> Case | Refused | None:
    """Compile, with the tracer strict, and remember what was there before.

    Returns:
        The case; what the tracer refused; None where what must stay does not fit, or
        the session has no event of a ref in the spec.
    """
    enforce_protection()
    target = target_for(format)
    before = state_of(session, spec)
    try:
        pack = compile(session, spec, target=target)
    except (BudgetError, RefError, StepError):
        return None
    except ProtectionError as error:
        rules = [rule for touched, rule in RULES_OF_PROTECTION.items() if touched in error.what]
        return Refused(rules[0] if rules else PROTECTED, error.where or "", error.what)
    return Case(session, spec, target, pack, before)


def check_pack(session: Session, spec: Expr, format: str, rules: Iterable[str] = RULES) -> None:
    """Check rules for one compile of any session.

    Args:
        session: whatever the session is.
        spec: a whole spec.
        format: the provider's format.
        rules: names out of `RULES`.

    Raises:
        RuleViolation: the first rule that is broken.
    """
    case = compiled(session, spec, format)
    for rule in rules:
        for place, what in _broken(rule, case):
            raise RuleViolation(rule, repr(spec), f"{format}/{place}", what)


def paired(first: Expr, second: Expr) -> Expr | None:
    """Two words in one spec over the conversation; None where the language has no such pair."""
    spec = standing(first)
    for joined in (lambda: spec | second, lambda: spec + second, lambda: standing(second) | first):
        try:
            return joined()
        except SpecError:
            continue
    return None


def standing(sample: Expr) -> Expr:
    """The sample over the conversation: a source beside it, a transform behind it."""
    if is_bare(sample):
        return C.default() | sample
    if any(_brings_conversation(head) for head in _heads(sample)):
        return sample
    return C.default() + sample


def _heads(spec: Expr) -> Iterator[Expr]:
    if isinstance(spec, Pipe):
        yield from _heads(spec.head)
    elif isinstance(spec, Union):
        for term in spec.terms:
            yield from _heads(term)
    elif isinstance(spec, Fallback):
        yield from _heads(spec.second)
    elif isinstance(spec, When):
        for branch in spec.branches:
            yield from _heads(branch)
    else:
        yield spec


def _brings_conversation(head: Expr) -> bool:
    if isinstance(head, Chain):
        return True
    return isinstance(head, Atom) and (
        head.kind in {Kind.REFINER, Kind.TRANSFORM} or head.word == "default"
    )


def words_in(spec: Expr) -> set[str]:
    """The words of a spec."""
    if isinstance(spec, Atom):
        return {spec.word} & set(ATOMS)
    if isinstance(spec, (Pipe, Chain)):
        inside: set[str] = set().union(*map(words_in, spec.steps))
        return inside | (words_in(spec.head) if isinstance(spec, Pipe) else set())
    if isinstance(spec, Union):
        return set().union(*map(words_in, spec.terms))
    if isinstance(spec, When):
        return set().union(*map(words_in, spec.branches))
    return words_in(spec.first) | words_in(spec.second) if isinstance(spec, Fallback) else set()
