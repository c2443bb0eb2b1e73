"""What stands for a value, what an application brings, and what happens when that fails."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Engine, Session, Vault, compile, parse
from contextwright.errors import RedactionError, SpecError
from contextwright.redaction.operators import OPERATORS, Operator
from contextwright.redaction.redactor import Redactor

VAULT = Vault(key="k" * 32)
MAIL, CARD = "bob@example.com", "4111111111111111"


def asked(text: str) -> Session:
    session = Session("s")
    session.user(text)
    return session


def sent(text: str, spec: object, **ports: object) -> str:
    return compile(asked(text), spec, model="gpt-5", **ports).body.decode()


def test_a_mask_leaves_the_last_four_of_a_card_and_nothing_of_an_address() -> None:
    body = sent(f"{MAIL} pays with {CARD}", C.redact("pii", operator="mask"))
    assert "**** pays with ****1111" in body


def test_a_hash_is_the_same_for_the_same_value_and_key() -> None:
    text = Redactor(("email",), operator=Operator("hash", VAULT)).text(f"{MAIL} a@b.de {MAIL}")
    first, other, again = text.split()
    assert first == again != other
    assert first.startswith("[email#")
    elsewhere = Redactor(("email",), operator=Operator("hash", Vault(key="x" * 16))).text(MAIL)
    assert elsewhere != first


def test_a_pseudonym_is_turned_back_in_the_answer_and_nowhere_else() -> None:
    vault = Vault(key="k" * 32)
    body = sent(f"write to {MAIL}", C.redact("email", operator="pseudonymize"), vault=vault)
    assert MAIL not in body
    pseudonym = next(iter(vault.values))
    assert pseudonym in body
    assert vault.restore(f"I wrote to {pseudonym} and [email_000000000000].") == (
        f"I wrote to {MAIL} and [email_000000000000]."
    )
    assert MAIL not in repr(vault)
    other = Vault(key="k" * 32)
    other.remember(vault.values)
    assert other.restore(pseudonym) == MAIL


def test_the_value_of_an_escaped_address_is_the_address() -> None:
    vault = Vault(key="k" * 32)
    redactor = Redactor(("email",), operator=Operator("pseudonymize", vault))
    text = redactor.text('{"mail": "bob\\u0040example.com"}')
    assert list(vault.values.values()) == [MAIL]
    assert json.loads(text)["mail"] in vault.values


@pytest.mark.parametrize("operator", ["hash", "pseudonymize"])
def test_without_a_key_nothing_is_sent(operator: str) -> None:
    with pytest.raises(SpecError, match="takes a vault") as caught:
        sent(f"to {MAIL}", C.redact("email", operator=operator))
    assert MAIL not in str(caught.value)
    with pytest.raises(SpecError, match="takes a vault"):
        sent("nothing to find yet", C.redact("email", operator=operator))


@pytest.mark.parametrize("key", ["short", b"", 5])
def test_a_key_that_can_be_guessed_is_refused(key: object) -> None:
    with pytest.raises(SpecError, match="16 bytes"):
        Vault(key=key)


def test_an_operator_of_another_name_is_refused() -> None:
    with pytest.raises(SpecError):
        C.redact("email", operator="encrypt")


def test_an_operator_works_in_a_spec_of_text() -> None:
    spec = parse('C.window(n=3) | C.redact("email", operator="mask")')
    assert MAIL not in (body := sent(f"to {MAIL}", spec)) and "to ****" in body


NAMES = {"Ada Lovelace": "PERSON", "Berlin": "LOCATION"}


def names(text: str) -> list[tuple[int, int, str]]:
    return [
        (at, at + len(name), entity)
        for name, entity in NAMES.items()
        if (at := text.find(name)) >= 0
    ]


class Analyzer:
    """The shape of Presidio's `AnalyzerEngine`."""

    class Result:
        def __init__(self, start: int, end: int, entity_type: str) -> None:
            self.start, self.end, self.entity_type = start, end, entity_type

    def analyze(self, *, text: str, entities: list[str], language: str) -> list[Result]:
        return [self.Result(*one) for one in names(text) if one[2] in entities]


@pytest.mark.parametrize("detector", [names, Analyzer()])
def test_a_detector_finds_names(detector: object) -> None:
    text = "Ada Lovelace lives in Berlin, b\\u0065fore: B\\u0065rlin"
    body = sent(text, C.redact(entities=["PERSON"]), detector=detector)
    assert "Lovelace" not in body and "Berlin" in body
    body = sent(text, C.redact(entities=["person", "LOCATION"], patterns=["pii"]), detector=names)
    assert "Berlin" not in body and "B\\\\u0065rlin" not in body


def broken(text: str) -> list[object]:
    raise ValueError(f"no model for {text}")


@pytest.mark.parametrize(
    "detector", [broken, lambda text: [(0, 9_999, "PERSON")], lambda text: ["x"], lambda text: None]
)
def test_what_was_not_searched_is_not_sent(detector: object) -> None:
    engine = Engine(C.redact(entities=["PERSON"]), "gpt-5", detector=detector)
    with pytest.raises(RedactionError) as caught:
        engine.compile(asked("Ada Lovelace asks"))
    error: BaseException | None = caught.value
    while error is not None:
        assert "Lovelace" not in str(error)
        error = None if error.__suppress_context__ else error.__cause__ or error.__context__
    assert caught.value.fix


def test_entities_without_a_detector_are_refused() -> None:
    with pytest.raises(SpecError, match="nothing here finds PERSON"):
        sent("Ada Lovelace asks", C.redact(entities=["PERSON"]))
    with pytest.raises(SpecError, match="expected a detector"):
        sent("x", C.redact(entities=["PERSON"]), detector=5)


AROUND = st.sampled_from(["{}", "a {} b", "```json\n{}\n```", "User: {}\nmore: x"])
VALUES = st.sampled_from(
    [MAIL, CARD, "x", "ssn: 123-45-6789", "4155550132", "\u00e9 bob\u0040x.de"]
)
RECORDS = st.dictionaries(
    st.sampled_from(["ssn", "name", "card", "password"]),
    VALUES | st.integers(0, 10**16),
    max_size=4,
)


@given(RECORDS | VALUES, AROUND, st.booleans(), st.sampled_from(OPERATORS))
def test_redacting_twice_is_redacting_once(
    value: object, around: str, compact: bool, operator: str
) -> None:
    """On JSON, fenced, prefixed and compact, and on `key: value` text."""
    separators = (",", ":") if compact else (", ", ": ")
    plain = "\n".join(f"{k}: {v}" for k, v in value.items()) if isinstance(value, dict) else value
    for text in (json.dumps(value, separators=separators), str(plain)):
        redactor = Redactor(("pii", "secrets"), ("ssn", "card"), operator=Operator(operator, VAULT))
        once = redactor.text(around.replace("{}", text))
        assert redactor.text(once) == once
        assert not {MAIL, CARD, "123-45-6789"} & {
            s for s in (MAIL, CARD, "123-45-6789") if s in once
        }
        if around == "{}" and text.startswith("{"):
            assert json.loads(once).keys() == json.loads(text).keys()
