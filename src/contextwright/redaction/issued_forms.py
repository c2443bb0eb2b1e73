"""Tokens whose issuer gives them one form: what only begins like one is none.

A text that was shortened may end inside of a token: what stands before the mark of a cut is taken
as it is. A token that is assigned to a secret is found by that name, whatever its form.
"""

import base64
import binascii
import json
import re

from contextwright.redaction import checks
from contextwright.redaction.wording import is_random, is_words

_CUT = re.compile(r"[ \n]?(?:\u2026|\.\.\.|\[(?:\u2026|\.\.\.))")
"""What stands behind a text that was cut."""

_ISSUED = (
    # GitLab: the kinds of tokens have lengths of their own, the routable ones a checksum
    r"gl(?:pat|dt|ft|rt|ffct|soat)-[A-Za-z0-9_-]{20,50}",
    r"gl[a-z]{2,6}-[A-Za-z0-9_-]{27,300}(?:\.[a-z0-9]{2})?\.[a-z0-9]{7,9}",
    r"glcbt-(?:[A-Za-z0-9]{1,5}_)?[A-Za-z0-9_-]{20,64}",
    r"glimt-[A-Za-z0-9_-]{25}",
    r"glptt-[A-Za-z0-9_-]{40}",
    r"glagent-[A-Za-z0-9_-]{50,1024}",
    r"gloas-[A-Za-z0-9_-]{64}",
    # SendGrid: an id and a secret
    r"SG\.[A-Za-z0-9=_.-]{66}",
    # OpenAI: `OpenAI` in base64 stands in the middle; the keys of others begin with `sk-` alone
    r"sk-(?!proj-|svcacct-|admin-)[A-Za-z0-9_-]{20,300}",
    r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,150}T3BlbkFJ[A-Za-z0-9_-]{20,150}",
)
_FORM = re.compile("|".join(_ISSUED), re.ASCII)


def issuers_form(match: re.Match[str]) -> tuple[int, int] | None:
    """The token, if it is as its issuer makes them, or cut."""
    if checks.random_token(match) is None:
        return None
    (start, end), value = match.span(), match[0]
    for size in (len(value), len(value.rstrip("."))):  # a full stop ends the sentence
        if _FORM.fullmatch(value, 0, size):
            return start, start + size
    return (start, end) if _CUT.match(match.string, start + len(value.rstrip("."))) else None


def signed_token(match: re.Match[str]) -> tuple[int, int] | None:
    """A JSON Web Token (RFC 7519). A head that begins as an object does, `{"`, has to be one."""
    value = match[0]
    if value.startswith("eyJ") and not _is_json(value.partition(".")[0]):
        return None
    return match.span()


def _is_json(head: str) -> bool:
    try:
        read = base64.urlsafe_b64decode(head + "=" * (-len(head) % 4))
        return isinstance(json.loads(read), dict)
    except (binascii.Error, ValueError):
        return False


def short_prefix(match: re.Match[str]) -> tuple[int, int] | None:
    """A token with a short prefix: it has small letters, and is no name such as `APDUResponse`."""
    value = match[0]
    return match.span() if not (value.isupper() or is_words(value)) else None


_PART = re.compile(r"[A-Za-z0-9_-]{48,200}(?=[/?#]|$)", re.ASCII)


def url_key(match: re.Match[str]) -> tuple[int, int] | None:
    """The key in the path of a URL of who knows its callers by it: of a hook, or of a vendor whose
    keys have no prefix. It is longer than the name of a commit."""
    host, _, path = match[0][3:].partition("/")
    if "hook" not in match[0].lower() and not checks.names_vendor(host):
        return None
    for part in _PART.finditer(path):
        value, before = part[0], match.end() - len(path)
        if is_random(value) and checks.entropy(value) >= 2.8 and any(map(str.isdigit, value)):
            return before + part.start(), before + part.end()
    return None
