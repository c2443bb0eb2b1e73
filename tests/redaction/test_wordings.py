"""Secrets as people and programs write them: random values in every wording, and what is none."""

import random
import string

import pytest

from contextwright.redaction.scan import compile_patterns

SECRETS = compile_patterns(("secrets",))
ALPHABETS = {
    "letters and digits": string.ascii_letters + string.digits,
    "base64": string.ascii_letters + string.digits + "+/_-",
    "signs": string.ascii_letters + string.digits + "!#%^*?@+=",
    "hex": "0123456789abcdef",
    "small": string.ascii_lowercase + string.digits,
}
VALUES = 200
PASSWORDS = [
    "the password is {}",
    "password is: {}.",
    "My password for the admin account is {}, thanks",
    "pw: {}",
    "PW={}",
    "Das Passwort lautet {}",
    "passwort: {}",
    "mysql -u root -p{} shop",
    "sshpass -p {} ssh bob@host",
    "sshpass -p '{}' ssh bob@host",
    "curl -u bob:{} https://h.io",
    "curl -u'bob:{}' https://h.io",
    "curl -s -ubob:{} https://h.io",
    "docker login -u bob -p {} registry.io",
    "<password>{}</password>",
    '{{"name":"DB_PASSWORD","value":"{}"}}',
    "- name: DB_PASSWORD\n  value: {}\n",
    "password: |\n  {}\n",
    "DB_PASSWORD={}",
    "DB_PASSWORD='{}'",
    '"password": "{}"',
    '{{\\"password\\": \\"{}\\"}}',
]
KEYS = [
    "client_secret={}",
    "token={}",
    "api_key: {}",
    'api_key: "{}"',
    "https://h.io/x?access_token={}&page=2",
    "the api key is {}",
    "--token {} --verbose",
    '{{"name":"API_TOKEN","value":"{}"}}',
    "<token>{}</token>",
    "AWS_SECRET_ACCESS_KEY={}",
    "aws_secret_access_key = {}",
    "Cookie: theme=dark; session={}; lang=en",
    "Set-Cookie: sid={}; Path=/; HttpOnly",
]


def misses(wording: str, sizes: tuple[int, int]) -> list[str]:
    """Of 200 random values, those that are not redacted."""
    dice = random.Random(wording)
    out: list[str] = []
    for _ in range(VALUES):
        signs = ALPHABETS[dice.choice(sorted(ALPHABETS))]
        value = "".join(dice.choice(signs) for _ in range(dice.randint(*sizes)))
        text, _ = SECRETS.redact(wording.format(value))
        if value in text or value[-5:] in text:
            out.append(value)
    return out


@pytest.mark.parametrize("wording", PASSWORDS)
def test_a_random_password_is_found(wording: str) -> None:
    assert len(missed := misses(wording, (10, 20))) <= VALUES * 0.03, missed[:9]


@pytest.mark.parametrize("wording", KEYS)
def test_a_random_key_is_found(wording: str) -> None:
    assert len(missed := misses(wording, (14, 40))) <= VALUES * 0.03, missed[:9]


@pytest.mark.parametrize(
    "text",
    [
        "the password is required and the token is expired",
        "password is incorrect. The pw: field is empty",
        "Das Passwort ist falsch, das Token ist abgelaufen",
        "the secret is out; the key is under the doormat",
        "password must be at least 8-characters, token is refresh_token",
        "max_tokens: 4096, token_count=1234567890, total_tokens = 88",
        "token = get_token(user); secret = os.environ['SECRET_KEY']",
        "api_key=self.api_key, token=response_token, token: string",
        "access_key: AccessKeyResolver, primary_key: customer_identifier",
        "secret_name: my-application-credentials, token_url: https://example.com/token",
        "next_page_token=CAUQAA==, csrf_token = Mj2qykJO5rELyHgezQ69nzUX0i",
        "<password>${DB_PASSWORD}</password> <Token>string</Token>",
        "Cookie: the site uses cookies; cookie: theme=dark",
        "password: Optional[str] = None, passwd: &PasswordPolicy",
        "-----BEGIN PRIVATE KEY----- is how a key starts",
        "see the token economy = tokenomics, keyword: passwordless",
    ],
)
def test_what_is_said_of_secrets_is_none(text: str) -> None:
    assert [text[start:end] for start, end, _ in SECRETS.spans(text)] == []


@pytest.mark.parametrize("cut", [40, 90, 400])
def test_a_private_key_that_was_cut_off_is_found(cut: int) -> None:
    body = "\n".join(
        "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW" for _ in range(9)
    )
    head = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{body}"[: 36 + cut]
    tail = f"{body}\n-----END OPENSSH PRIVATE KEY-----"[-cut - 36 :]
    for text in (head, tail):
        redacted, _ = SECRETS.redact(f"it says\n\n{text}\n")
        assert "b3Bl" not in redacted
        assert redacted.startswith("it says\n")
