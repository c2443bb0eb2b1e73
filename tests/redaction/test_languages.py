"""Secrets and personal data in the words of many languages, and ordinary sentences with them."""

import re
from pathlib import Path

import pytest

from contextwright.redaction.scan import compile_patterns
from contextwright.redaction.secret_names import KEYS, PASSWORDS, PINS, names_of

ALL = compile_patterns(("pii", "secrets"))
LINES = (Path(__file__).parent / "languages.txt").read_text("utf-8").splitlines()
ESCAPES = {"\\n": "\n", "\\t": "\t", "\\u0303": "\u0303", "\\uff1a": "\uff1a"}


def texts(sign: str) -> list[str]:
    lines = [line[2:] for line in LINES if line.startswith(f"{sign} ")]
    for escape, meaning in ESCAPES.items():
        lines = [line.replace(escape, meaning) for line in lines]
    return lines


@pytest.mark.parametrize("text", texts("+"))
def test_what_is_named_goes_and_nothing_else(text: str) -> None:
    redacted = ALL.redact(re.sub("[⟦⟧]", "", text))[0]
    assert redacted == re.sub("⟦.*?⟧", "[REDACTED]", text)


@pytest.mark.parametrize("text", texts("-"))
def test_ordinary_sentences_stay(text: str) -> None:
    assert ALL.redact(text)[0] == text


@pytest.mark.parametrize("table", [PASSWORDS, KEYS, PINS])
def test_every_word_of_a_name_is_in_small_letters(table: str) -> None:
    for word in names_of(table):
        assert word
        assert word == word.lower()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("DB_PASSWORD=Xk9$mPq2vL的", "DB_PASSWORD=[REDACTED]的"),
        ("password: “swordfish”", "password: “[REDACTED]”"),
        ("senhaDb: Xk9$mPq2vL", "senhaDb: [REDACTED]"),
        ("senha_db=Xk9$mPq2vL", "senha_db=[REDACTED]"),
        ("contraseñas: ver manual", "contraseñas: ver manual"),
        ("enclave: Xk9$mPq2vL", "enclave: Xk9$mPq2vL"),
        ("password: 8-16 characters", "password: 8-16 characters"),
        ("password: 8-16位字符", "password: 8-16位字符"),
        ("PIN code: 560001", "PIN code: 560001"),
        ("PIN code: 5601", "PIN code: [REDACTED]"),
        ("the pin 4096 of the board", "the pin 4096 of the board"),
    ],
)
def test_where_a_name_and_a_value_end(text: str, left: str) -> None:
    assert ALL.redact(text)[0] == left


@pytest.mark.parametrize(
    ("valid", "invalid"),
    [
        ("身份证11010519491231002X", "身份证110105194912310021"),
        ("CPF 52998224725", "CPF 52998224726"),
        ("CNPJ 11222333000181", "CNPJ 11222333000182"),
        ("DNI 12345678Z", "DNI 12345678A"),
        ("NIE X1234567L", "NIE X1234567A"),
        ("PESEL 44051401359", "PESEL 44051401358"),
        ("T.C. kimlik no 10000000146", "T.C. kimlik no 10000000147"),
        ("Aadhaar 2341 2341 2346", "Aadhaar 2341 2341 2345"),
        ("Steuer-ID 65 929 970 489", "Steuer-ID 65 929 970 488"),
        ("マイナンバー123456789018", "マイナンバー123456789017"),
        ("n° SS 2 89 07 75 116 001 39", "n° SS 289077511600138"),
        ("ИНН 500100732259", "ИНН 500100732258"),
        ("ИНН 7707083893", "ИНН 7707083894"),
        ("СНИЛС 112-233-445 95", "СНИЛС 112-233-445 96"),
        ("BSN 111222333", "BSN 111222334"),
        ("personnummer 811228-9874", "personnummer 811228-9875"),
        ("codice fiscale RSSMRA85T10A562S", "codice fiscale RSSMRA85T10A562T"),
    ],
)
def test_a_national_id_has_its_check_digit(valid: str, invalid: str) -> None:
    ids = compile_patterns(("national_id",))
    assert ids.spans(valid)
    assert not ids.spans(invalid)


def test_a_table_s_column_is_told_by_its_head() -> None:
    text = "user;password;role\nbob;hunter2!x;admin\neve;;guest\n\nsee also;hunter2!x;x"
    assert ALL.redact(text)[0] == text.replace("hunter2!x;admin", "[REDACTED];admin")


def test_columns_of_one_head_go_together() -> None:
    text = "\n".join(["pwd,name,token", *["Xk9$mPq2vL,bob,9fK2mQ7zLp0XvB3nR8tW"] * 3])
    assert ALL.redact(text)[0] == "\n".join(["pwd,name,token", *["[REDACTED],bob,[REDACTED]"] * 3])
