"""Tokens of one form: as their issuer makes them, one sign off, and cut."""

import base64
import json
import random
import string

import pytest

from contextwright.redaction.scan import compile_patterns

SECRETS = compile_patterns(("secrets",))
SIGNS = string.ascii_letters + string.digits


def made(size, seed=0):
    return "".join(random.Random(seed).choices(SIGNS, k=size))


def gone(text):
    return SECRETS.redact(text)[0]


EXACT = {
    "glimt-": 25,
    "glptt-": 40,
    "gloas-": 64,
    "SG.": 66,
}


@pytest.mark.parametrize(("prefix", "size"), EXACT.items())
def test_a_token_has_its_issuers_length(prefix, size):
    for seed in range(20):
        assert gone(f"it is {prefix}{made(size, seed)}, she said") == "it is [REDACTED], she said"
        assert gone(f"it is {prefix}{made(size, seed)}.") == "it is [REDACTED]."
        for other in (size - 3, size + 3):
            said = f"it is {prefix}{made(other, seed)}"
            assert gone(said) == said


@pytest.mark.parametrize("prefix", EXACT)
@pytest.mark.parametrize("mark", ["\u2026", "...", " [\u2026 3 lines left out]", "\n[... cut ...]"])
def test_a_token_that_was_cut_is_found(prefix, mark):
    head = prefix + made(20)
    assert head not in gone(f"token {head}{mark}")


@pytest.mark.parametrize("prefix", ["gitlab_token = glimt-", '"api_key": "sk-proj-'])
def test_what_is_named_a_secret_is_found_whatever_its_form(prefix):
    value = made(33)
    assert value not in gone(prefix + value)


def test_keys_of_openai_have_its_mark_and_keys_of_others_need_none():
    head, tail = made(60), made(60, 1)
    assert gone(f"sk-proj-{head}T3BlbkFJ{tail}") == "[REDACTED]"
    assert gone(f"sk-proj-{head}") == f"sk-proj-{head}"
    assert gone(f"sk-{made(40)}") == "[REDACTED]"
    assert gone(f"sk-or-v1-{made(64)}") == "[REDACTED]"


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_the_head_of_a_web_token_is_an_object():
    body = f"{encoded({'sub': '1234567890'})}.{made(43)}"
    for typ in ("JWT", "JWTs", "at+jwt"):  # paddings of each length
        head = encoded({"alg": "HS256", "typ": typ})
        assert gone(f"{head}.{body}") == "[REDACTED]"
    head = encoded({"alg": "HS256", "typ": "JWT"})
    assert gone(f"{head[:-1]}.{body}") == f"{head[:-1]}.{body}"


def test_keys_with_a_short_prefix_are_no_names():
    for token in ("AKC" + made(70), "AP5" + made(16), "APB" + made(12, 3)):
        assert gone(f"X-JFrog-Art-Api: {token}") == "X-JFrog-Art-Api: [REDACTED]"
        assert gone(f'"{token}"') == '"[REDACTED]"'
    for name in ("APARTMENTS", "AP1234567890", "APDUResponse", "APCuIterator", "xAP5abcdefgh1"):
        assert gone(f"see {name}") == f"see {name}"


def test_the_key_in_a_vendors_url_goes_and_other_long_parts_stay():
    key = made(64)
    for url in (
        "https://api.softlayer.com/rest/v3/{}",
        "https://hooks.example.com/in/{}/x",
        "https://discord.com/api/webhooks/123456/{}",
    ):
        assert gone(f"POST {url.format(key)} now") == f"POST {url.format('[REDACTED]')} now"
    for url in (
        "https://example.com/blobs/{}",
        "https://github.com/a/b/commit/" + "0f3c" * 10,
        "https://api.twilio.com/how-to-send-a-text-message-to-somebody-in-another-country",
    ):
        assert gone(url.format(key)) == url.format(key)


@pytest.mark.parametrize("value", ["shorter-version", "see-below", "required"])
def test_words_are_no_password(value):
    assert gone(f"ibm-cloud-pwd = {value}") == f"ibm-cloud-pwd = {value}"


def test_a_passphrase_is_one():
    phrase = "correct-horse-battery-staple"
    assert phrase not in gone(f"password = {phrase}")
    assert "shorter-version" not in gone("password = 'shorter-version'")
