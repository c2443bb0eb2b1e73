"""What a regular expression cannot say: checksums, assignment rules, entropy, context.

A check takes a match and returns the span to redact, or None. It may shorten the match (an IBAN
has the length of its country) or pick a part of it (the value of `password=...`).
"""

import re
from collections.abc import Callable, Container
from math import log2

from contextwright.redaction.secret_values import value_of
from contextwright.redaction.wording import is_filled, is_random, is_stand_in, is_words

Check = Callable[[re.Match[str]], tuple[int, int] | None]

# Lengths of the SWIFT IBAN registry, release 99.
IBAN_LENGTHS = {
    country: length
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FK FI FO GL NL SD",
        19: "MK SI",
        20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST",
        26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU YE",
        31: "MT SC",
        32: "LC",
        33: "RU",
    }.items()
    for country in countries.split()
}

DATE = re.compile(
    r"(?:(?:19|20)[0-9]{2}[./-](?:0[1-9]|1[0-2])[./-](?:0[1-9]|[12][0-9]|3[01])"
    r"|(?:0?[1-9]|[12][0-9]|3[01])[./-](?:0?[1-9]|[12][0-9]|3[01])[./-](?:19|20)?[0-9]{2}"
    r")(?![0-9])"
)
_SSN_WORDS = re.compile(r"\b(?:ssn|ss#|social.security)")
_PLACEHOLDER = re.compile(
    r"[$<{(\[]|%(?:[A-Za-z_]+%|\(|[sd]\b)|\*+$|(?:your|my|the|insert|enter|change|replace|example|dummy|sample|placeholder|"
    r"redacted|process\.|os\.|env\.|self\.|config|settings)|"
    r"(?:null|none|nil|true|false|undefined|string|password|secret|token|required|optional)\b",
    re.ASCII | re.IGNORECASE,
)
_ARMOUR_END = re.compile(r"KEY(?: BLOCK)?-----")
_BASE64_LINES = re.compile(r"[A-Za-z0-9+/=\s\\]*")
_MAX_KEY = 16_384
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4 = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}")
_CALL = re.compile(r"[A-Za-z_][\w.]*[\[(]")
_COUNT = re.compile(r"[0-9]+(?:[-+][a-z]{3,}|[-+]?(?:char|digit|byte|bit|day|hour|minute)[a-z]*)")
_AMOUNT = re.compile(r"[0-9]+(?:[-~.,][0-9]+)?")
_COUNTED = re.compile(
    r"[ ]?(?:位|个|個|字|文字|桁|자|글자|분|秒|分|символ|знак|цифр|минут|char|caract|zeichen|"
    r"tekens|znak|tecken|tegn|karakter|haneli|ký tự|ตัว|حرف|أحرف|תווים|अक्षर|χαρακτ|chiffre|"
    r"cifr|dígit|digit|min|sec|bit|byte|jour|d[ií]as|dagen|tage|dni|hari|day|hour)",
    re.IGNORECASE,
)
_DIGIT = re.compile("[0-9]")
_TWO_DIGITS = re.compile("[0-9][^0-9]*[0-9]")
_LETTER = re.compile("[A-Za-z]")

_KEYS = "api access private auth account signing encryption master license service storage shared"
# each name by itself: a search then passes over what none begins with
_KEY_NAMES = "|".join(rf"{name}[ _.-]?key" for name in _KEYS.split())
_SECRET_KEY = re.compile(
    rf"(?:secret|token|credential|{_KEY_NAMES})s?"
    r"(?:[_-]?(?:access[_-]?)?(?:key|value|token|b64|base64)|(?<!s)[_-]?id)?"
    r"[\"'`\\)\]]{0,5}\s{0,8}(?:value)?$"
)
_PUBLIC = re.compile(
    r"(?:public|publishable|csrf|xsrf|authenticity|pagination|page|cursor|next|continuation)"
    r"[ _.-]?(?:api|access)?[ _.-]?$"
)
_PUBLIC_KEY = re.compile(
    r"(?:public|csrf|xsrf|authenticity)[ _.-]?(?:api|access)?[ _.-]?(?:key|token)[^a-z]*"
    r"(?:value[^a-z]*)?$"
)
_KEY_REST = re.compile(r"[a-z0-9_ .\-]{0,24}[\"'`\\)\]]{0,5}\s{0,8}")
_IN_NAME = "abcdefghijklmnopqrstuvwxyz0123456789_ .-"
_BEHIND_NAME = "\"'`\\)]"
# Whose keys have no prefix, and are known only by the name they are assigned to.
_VENDOR_NAMES = """
    adafruit adobe airtable algolia alibaba asana atlassian confluence jira beamer bitbucket
    bittrex cloudflare cohere co_api_key coinbase confluent contentful datadog digitalocean
    discord droneci dropbox etsy facebook fastly figma finicity finnhub flickr freshbooks gitter
    gocardless heroku hubspot intercom jfrog artifactory xray kraken kucoin launchdarkly
    linkedin linked-in linked_in looker mailchimp mailgun mapbox mattermost meraki messagebird
    netlify newrelic new-relic nytimes newyorktimes okta openweather pagerduty paypal plaid
    privateai private_ai rapidapi sendbird sendinblue shippo shopify snyk softlayer sl_key
    sl-key sonar sourcegraph splunk square squarespace sumo telegr travis trello twilio twitch
    twitter typeform wakatime yandex zendesk zoom ibm aws_ azure codecov
"""
_VENDORS = _VENDOR_NAMES.split()
_ANY_VENDOR = re.compile("|".join(_VENDORS))


# Keys that Google's own samples publish: they open nothing.
_PUBLISHED = frozenset(
    {
        "AIzaSyabcdefghijklmnopqrstuvwxyz1234567",
        "AIzaSyAnLA7NfeLquW1tJFpx_eQCxoX-oo6YyIs",
        "AIzaSyCkEhVjf3pduRDt6d1yKOMitrUEke8agEM",
        "AIzaSyDMAScliyLx7F0NPDEJi1QmyCgHIAODrlU",
        "AIzaSyD3asb-2pEZVqMkmL6M9N6nHZRR_znhrh0",
        "AIzaSyAdOS2zB6NCsk1pCdZ4-P6GBdi_UUPwX7c",
        "AIzaSyASWm6HmTMdYWpgMnjRBjxcQ9CKctWmLd4",
        "AIzaSyANUvH9H9BsUccjsu2pCmEkOPjjaXeDQgY",
        "AIzaSyA5_iVawFQ8ABuTZNUdcwERLJv_a_p4wtM",
        "AIzaSyA4UrcGxgwQFTfaI3no3t7Lt1sjmdnP5sQ",
        "AIzaSyDSb51JiIcB6OJpwwMicseKRhhrOq1cS7g",
        "AIzaSyBF2RrAIm4a0mO64EShQfqfd2AFnzAvvuU",
        "AIzaSyBcE-OOIbhjyR83gm4r2MFCu4MJmprNXsw",
        "AIzaSyB8qGxt4ec15vitgn44duC5ucxaOi4FmqE",
        "AIzaSyA8vmApnrHNFE0bApF4hoZ11srVL_n0nvY",
    }
)


def entropy(value: str) -> float:
    """Shannon entropy of the characters of `value`, in bits per character."""
    size = len(value)
    counts = map(value.count, dict.fromkeys(value))
    return -sum(n / size * log2(n / size) for n in counts)


def varies(value: str, bits: float) -> bool:
    """Whether `value` has an entropy of so many bits per character, or more."""
    few = int(2**bits)
    signs = "".join(set(value[: 4 * few]))
    if len(signs) <= few and log2(few) < bits and not value.lstrip(signs):
        return False  # of so few signs none has more: most of what is repeated ends here
    return entropy(value) >= bits


_DOUBLED = bytes.maketrans(b"0123456789", bytes((0, 2, 4, 6, 8, 1, 3, 5, 7, 9)))
_PLAIN = bytes.maketrans(b"0123456789", bytes(range(10)))


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of ISO/IEC 7812-1."""
    signs = digits.encode()
    odd, even = signs[-1::-2].translate(_PLAIN), signs[-2::-2].translate(_DOUBLED)
    return (sum(odd) + sum(even)) % 10 == 0


def iban(match: re.Match[str]) -> tuple[int, int] | None:
    """The account number in a match: length and check digits (ISO 13616, ISO 7064 MOD 97-10)."""
    compact = match[0].replace(" ", "").replace("-", "").upper()
    length = IBAN_LENGTHS.get(compact[:2])
    if length is None or len(compact) < length:
        return None
    moved = compact[4:length] + compact[:4]
    if int("".join(str(int(char, 36)) for char in moved)) % 97 != 1:
        return None
    end = match.start()
    for _ in range(length):
        end += 1 + (match.string[end] in " -")
    rest = match.string[end : end + 1]
    return None if rest.isascii() and rest.isalnum() else (match.start(), end)


def card(match: re.Match[str]) -> tuple[int, int] | None:
    """The longest run of whole groups that has a card's length, issuer and check digit."""
    text, (start, end) = match.string, match.span()
    groups = match[0].replace("-", " ").split(" ")
    digits = "".join(groups)
    sizes = _issued_sizes(digits)
    is_cut = end < len(text) and text[end] in "0123456789"
    while len(digits) >= 12:
        if not is_cut and len(digits) in sizes and luhn(digits):
            return start, end
        last, is_cut = len(groups.pop()), False
        end, digits = end - last - 1, digits[: len(digits) - last]
    return None


# Lengths of the numbers that networks issue, by the first two digits (ISO/IEC 7812 ranges).
_ISSUED_SIZES: dict[str, Container[int]] = {
    str(two): sizes
    for ranges, sizes in (
        ((range(40, 50),), (13, 16, 19)),
        ((range(51, 56), range(22, 28)), (16,)),
        (((34, 37), (18, 21)), (15,)),
        (((30, 36, 38, 39),), range(14, 20)),
        (((35,),), range(16, 20)),
        (((50, 56, 57, 58), range(60, 70)), range(12, 20)),
    )
    for numbers in ranges
    for two in numbers
}


def _issued_sizes(digits: str) -> Container[int]:
    """How many digits a card's number has that begins with these; nothing where none does."""
    four = digits[:4]
    if four[0] < "3" and not ("2221" <= four <= "2720" or four in ("1800", "2131")):
        return ()
    return _ISSUED_SIZES.get(four[:2], ())


def ssn(match: re.Match[str]) -> tuple[int, int] | None:
    """Nine digits as 3-2-4 stand alone; any other grouping only near the words for it."""
    digits = "".join(_DIGIT.findall(match[0]))
    # Never issued: area 000, 666 and 9xx, group 00, serial 0000.
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    if area in ("000", "666") or area >= "900" or group == "00" or serial == "0000":
        return None
    grouped = match[0][3:4] in "- ." and match[0][3:4] == match[0][6:7]
    return match.span() if grouped or near(_SSN_WORDS, match, 40) else None


def near(words: re.Pattern[str], match: re.Match[str], before: int) -> bool:
    """Whether one of these words, in lower case, is among so many signs before a match."""
    start = match.start()
    context = match.string[max(0, start - before) : start] + " "
    return words.search(context.lower()) is not None


def mac(match: re.Match[str]) -> tuple[int, int] | None:
    """A hardware address; all zeros and the broadcast address name nobody."""
    distinct = set(match[0].lower()) - set(":-.")
    whole = len(match[0].replace(":", "").replace("-", "").replace(".", "")) in (12, 16)
    return match.span() if whole and distinct not in ({"0"}, {"f"}) else None


LEAST_COLONS = 6
"""Of an address that leaves no groups out, with the last two written as IPv4."""


def ipv6(match: re.Match[str]) -> tuple[int, int] | None:
    """A valid address; `a::b` in code is one too, so a digit is asked for."""
    value, (start, end) = match[0].partition("/")[0], match.span()
    if "::" not in value and value.count(":") < LEAST_COLONS:
        return None  # a time
    # a run that goes on is a dump
    if match.string[end : end + 1] == ":" or (start and match.string[start - 1] == ":"):
        return None
    size = len(value)
    if value.endswith(".") or (value.endswith(":") and not value.endswith("::")):
        size -= 1
    if not _DIGIT.search(value) or not _is_ipv6(value[:size]):
        return None
    return start, end if size == len(value) else start + size


def _is_ipv6(value: str) -> bool:
    head, double, tail = value.partition("::")
    if "::" in tail or ":" in (tail[:1], head[-1:]):
        return False
    groups = [group for half in (head, tail) if half for group in half.split(":")]
    size = len(groups)
    if groups and "." in groups[-1]:
        if not _IPV4.fullmatch(groups.pop()):
            return False
        size += 1  # the place of two groups
    hexadecimal = all(0 < len(group) <= 4 and "." not in group for group in groups)
    return hexadecimal and (size <= 7 if double else size == 8)


def random_token(match: re.Match[str]) -> tuple[int, int] | None:
    """The token, unless it is one of the `xxxx` of documentation, or published."""
    group = 1 if match.re.groups else 0
    value = match[group]
    return match.span(group) if varies(value, 2.8) and value not in _PUBLISHED else None


def issued_token(match: re.Match[str]) -> tuple[int, int] | None:
    """A token whose form nothing else has, unless it is filled with `X`."""
    return None if is_filled(match[0]) else match.span()


def private_key(match: re.Match[str]) -> tuple[int, int] | None:
    """From the armour's first line to its last; to the last base64 where the end was cut off."""
    text, body = match.string, match.end()
    closing = _ARMOUR_END.search(text, body, body + _MAX_KEY)
    if not closing:
        closing = _BASE64_LINES.match(text, body, body + _MAX_KEY)
    end = closing.end() if closing else body
    lines = _BASE64_LINES.match(text, body, end)
    # a key, or its head: prose that names the armour has no line of base64 behind it
    size = len(lines[0].split(" ", 1)[0].strip()) if lines else 0
    return (match.start(), end) if end - body >= 64 or size >= 16 else None


def private_key_tail(match: re.Match[str]) -> tuple[int, int] | None:
    """The lines of base64 before the armour's last line, where the first was cut off."""
    start = match.end(1)
    for line in reversed(match[1].splitlines(keepends=True)):
        signs = line.strip()
        if signs and (" " in signs or (len(signs) < 16 and start != match.end(1))):
            break
        start -= len(line)
    return (start, match.end()) if match.end(1) - start >= 16 else None


def mixed_token(match: re.Match[str]) -> tuple[int, int] | None:
    """A token whose prefix is common in code: it has a digit too."""
    value = match[0]
    return match.span() if _DIGIT.search(value) and varies(value, 3.0) else None


def assigned(match: re.Match[str]) -> tuple[int, int] | None:
    """The value of `api_key = ...` or `acme: ...`: random, and named like a secret."""
    if not _TWO_DIGITS.search(match.string, *match.span(1)):
        return None
    value, start = match[1], match.start()
    if _PLACEHOLDER.match(value):
        return None
    # An identifier of digits alone is a secret only where a vendor's name says so.
    numeric = value.isdigit()
    if len(value) < 14 if numeric else not _LETTER.search(value):
        return None
    key = match.string[max(0, start - 64) : start]
    small = key.lower()
    if _SECRET_KEY.search(small):
        named = not numeric and not _PUBLIC_KEY.search(small)
    else:
        named = len(value) >= 14 and _is_vendors(key, small) and not DATE.match(value)
    if not named:
        return None
    bits = 2.5 if numeric else min(3.0, log2(len(value)) - 0.5)
    return match.span(1) if varies(value, bits) else None


def _is_vendors(key: str, small: str) -> bool:
    """Whether the name, as it is written and in lower case, has a vendor's: as words of its own."""
    head = small.rstrip().rstrip(_BEHIND_NAME).rstrip(_IN_NAME)
    if not _ANY_VENDOR.search(small, len(head)):
        return False
    for vendor in _VENDORS:
        at = small.rfind(vendor)
        # no `meraki` in `CameraKit`
        apart = at >= 0 and (not small[at - 1 : at].isalpha() or key[at].isupper())
        if apart and _KEY_REST.fullmatch(small, at + len(vendor)):
            return True
    return False


def names_vendor(host: str) -> bool:
    """Whether a part of a host's name is that of a vendor whose keys have no prefix."""
    return any(vendor.rstrip("_") in host.lower().split(".") for vendor in _VENDORS)


def bearer(match: re.Match[str]) -> tuple[int, int] | None:
    """What follows `Bearer`, if it is no word."""
    value = match[1]
    return None if _PLACEHOLDER.match(value) or not _DIGIT.search(value) else match.span(1)


def password(match: re.Match[str]) -> tuple[int, int] | None:
    """The value of `password = ...`: anything quoted; unquoted, only what prose does not say."""
    start, end, quoted = value_of(match)
    value = match.string[start:end]
    if _PLACEHOLDER.match(value) or len(set(value)) < 3 or is_filled(value):
        return None
    if is_amount(match.string, start, end):
        return None
    # `DB_PASSWORD=swordfish` is set, `password: required` is said
    is_set = match.string[match.start(1) - 1] == "=" and match[0][:1].isupper()
    word = value.lstrip("&*")
    plain = _is_said(word) or _CALL.match(word)
    return (start, end) if quoted or is_set or not plain else None


def _is_said(value: str) -> bool:
    """Whether prose may say a value: a word, or two with a hyphen, more are a passphrase; or names
    of columns, which a comma parts."""
    names = value.split(",")
    if len(names) > 1:
        return all(_is_said(name) or is_words(name) for name in names)
    parts = value.split("-")
    return len(parts) <= 2 and all(
        part.isalpha() and (is_words(part) or not is_random(part)) for part in parts
    )


def stated(match: re.Match[str]) -> tuple[int, int] | None:
    """The value of `the password is ...`: quoted, a number, or nothing that prose would say."""
    start, end, quoted = value_of(match)
    if is_amount(match.string, start, end):
        return None
    return (start, end) if is_stated(match.string[start:end], quoted=quoted) else None


def is_amount(text: str, start: int, end: int) -> bool:
    """Whether a value is how many of something there are, such as `8-16 characters`."""
    return _AMOUNT.fullmatch(text, start, end) is not None and bool(_COUNTED.match(text, end))


def is_stated(value: str, *, quoted: bool = False) -> bool:
    """Whether prose, or a table, gives such a value for a secret."""
    if is_stand_in(value) or len(set(value)) < 3 or len(value) < 4 or _COUNT.fullmatch(value):
        return False
    return quoted or value.isdigit() or is_random(value)


def named_secret(match: re.Match[str]) -> tuple[int, int] | None:
    """The value of `client_secret = ...`: random, whatever its signs."""
    start, end, _ = value_of(match)
    value = match.string[start:end]
    if len(value) < 8 or is_stand_in(value) or not is_random(value) or value[0] == "\\":
        return None
    before = match.string[max(0, match.start() - 24) : match.start()].lower()
    return None if _PUBLIC.search(before) else (start, end)


def cookie(match: re.Match[str]) -> tuple[int, int] | None:
    """The cookies of a header, if one of them has a value that nobody guesses."""
    values = [pair.partition("=")[2].strip() for pair in match[1].split(";")]
    return match.span(1) if any(len(v) >= 8 and is_random(v) for v in values) else None


def credentials(match: re.Match[str]) -> tuple[int, int] | None:
    """The password of `user:password`, unless it is a variable or a stand-in."""
    value = match[1]
    if value[0] in "$<{[*" or value.lower() in ("pass", "password", "passwd", "pwd", "secret"):
        return None
    return match.span(1) if len(set(value)) >= 3 else None
