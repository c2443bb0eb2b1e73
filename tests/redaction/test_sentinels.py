"""Redacted text never reappears: all words, in pairs, with `C.redact` behind them."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from tests.rules.samples import SAMPLES

from contextwright import C, Session, compile
from contextwright.errors import ContextwrightError
from contextwright.session.event import Event, Text
from contextwright.testing import paired, sessions, specs
from contextwright.testing.word_suite import PRIVATE_ADDRESS, SESSIONS, case_of

SECRETS = ("sentinel.person@example.com", "ghp_s3nT1nElAbCdEfGhIjKlMnOpQrStUvWxYz01")
"""No generated session has them by itself."""
FORMS = (
    "{}",
    '{{"owner": "{}", "n": 1}}',
    "see https://h.io/?q={}",
)


def with_sentinels(session: Session, places: list[int]) -> Session:
    """A copy of a session with a secret in some of its texts."""
    copy = Session(session.id, state=dict(session.state), tools=list(session.tools))
    for at, event in enumerate(session.log):
        parts = event.parts
        if at in places:
            secret = SECRETS[at % 2]
            text = Text(text=FORMS[at % len(FORMS)].format(secret))
            parts = (*parts, text) if event.role in ("user", "assistant") else parts
        copy.append(Event(id=event.id, role=event.role, parts=parts, author=event.author))
    return copy


@given(sessions(), specs(), st.lists(st.integers(0, 30), min_size=3, max_size=12))
def test_a_sentinel_is_in_no_request_and_no_receipt(session, spec, places):
    session = with_sentinels(session, places)
    spec = spec | C.redact(["pii", "secrets"])
    try:
        pack = compile(session, spec, model="gpt-5", steps=True)
    except ContextwrightError as error:
        written = str(error) + repr(error.as_dict())
    else:
        written = pack.body.decode() + repr(pack)
    assert not [secret for secret in SECRETS if secret in written]


PAIRS = list(product(sorted(SAMPLES), repeat=2))


@given(st.sampled_from(PAIRS), st.sampled_from(sorted(SESSIONS)))
def test_no_two_words_bring_it_back(words, session):
    first, second = (SAMPLES[word][0] for word in words)
    spec = paired(first, second)
    if spec is None:
        return
    case = case_of(spec | C.redact("email"), session, "openai-chat")
    pack = getattr(case, "pack", None)
    written = pack.body.decode() + repr(pack) if pack is not None else repr(case)
    assert PRIVATE_ADDRESS not in written
