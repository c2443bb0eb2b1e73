"""Finding a data subject's strings in texts and bytes, and writing `[erased]` in their place."""

import base64
import json
import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

import msgspec

from contextwright.retention.data_subject import DataSubject
from contextwright.retention.normalize_text import Folded, folded, is_mark
from contextwright.stored_record import StoredRecord
from contextwright.text.encoded_forms import FORMS, Unit, decode_base64, decoded, plainly
from contextwright.text.unspaced_scripts import UNSPACED

ERASED = "[erased]"
BARE = "erased"
"""Where brackets are not allowed: tool names, ids of calls."""
SURE = 6
"""Characters of a name that is looked for in bytes that are no text, in any case; shorter ones
occur there by chance."""
LONG = 1_000_000
"""Characters of a text in which a name is taken for found without asking whether its last letter
has a mark of its own: the places of all characters would be too many to keep."""
_LETTER = f"[^\\W_{UNSPACED}]"
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?', re.DOTALL)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_SIGNS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")
_NEVER = "(?!)"
_Decode = Callable[[str], Iterable[Unit]]


class SubjectIds(msgspec.Struct, frozen=True):
    """Ids by which records are a data subject's though they need not name the data subject.

    Args:
        sessions: of sessions that are the subject's whatever their metadata say.
        memories: of the subject's memories: copies of them elsewhere go by these.
        threads: of all sessions that are the subject's: pieces of them elsewhere go by these.
        folders: beginnings of the names of artifacts that these sessions made.
    """

    sessions: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


class SubjectMatcher:
    """Finds a data subject's strings in every form: as they are, in JSON escapes, percent and HTML
    encoding, and base64.

    Args:
        subject: the data subject.
        whole: whether a text that names the subject goes as a whole.
        ids: of records that are the subject's.
    """

    def __init__(
        self, subject: DataSubject, *, whole: bool = False, ids: SubjectIds | None = None
    ) -> None:
        self.subject, self.whole, ids = subject, whole, ids or SubjectIds()
        self.sessions, self.memories = frozenset(ids.sessions), frozenset(ids.memories)
        self.threads, self._folders = self.sessions | frozenset(ids.threads), ids.folders
        strings = subject.strings
        self._owners = {folded(each) for each in (subject.id, *subject.scopes, *subject.names)}
        self._exact = {folded(each) for each in strings}
        self._pattern = _pattern(strings)
        self._sure = _pattern(tuple(each for each in strings if len(each) >= SURE))
        self._encoded = _encoded_pattern(strings)

    def is_owner(self, owner: str) -> bool:
        """True if an owner is the subject, by id or by one of the names."""
        return folded(owner.strip()) in self._owners

    def owns(self, scope: str) -> bool:
        """True if a scope is the subject's: it is the subject, or names the subject."""
        return bool(scope) and (self.is_owner(scope) or self.names(scope))

    def is_file(self, name: str) -> bool:
        """True if a name of an artifact is the subject's: it names the subject, or a session that
        is the subject's made it."""
        return name.startswith(self._folders) or self.names(name)

    def matches(self, record: StoredRecord) -> bool:
        """True if a record is the data subject's: by scope, as a copy of a memory or a piece of
        a session that is, or because it names the data subject."""
        return (
            self.owns(record.scope)
            or record.id in self.memories
            or record.part_of in self.threads
            or any(map(self.names, (record.text, record.id, record.part_of, *record.labels)))
        )

    def names(self, text: str) -> bool:
        """True if a text names the subject in any form."""
        return self._plainly(text) or any(True for _ in self._base64(text))

    def text(self, text: str) -> str:
        """A text without the subject; JSON text stays JSON text."""
        if not self.names(text):
            return text
        if _is_json(text):
            # `\nils` is a name in a path, and a line end in a string of JSON
            return _TOKEN.sub(self._token, text)
        return ERASED if self.whole else self._replaced(text, ERASED)

    def ident(self, text: str, erased: str = ERASED) -> str:
        """An id without the subject."""
        return self._replaced(text, erased) if self.names(text) else text

    def value(self, value: Any) -> Any:
        """JSON data without the subject, in keys and numbers too."""
        top: list[Any] = [value]
        # not by recursion: a deep value would be erased never, and nothing after it
        waiting: list[tuple[Any, Any]] = [(top, 0)]
        while waiting:
            holder, place = waiting.pop()
            item = holder[place]
            if isinstance(item, dict):
                plain = self._keys(item)
                holder[place] = plain
                waiting += [(plain, key) for key in plain]
            elif isinstance(item, (list, tuple)):
                entries = list(item)
                holder[place] = entries
                waiting += [(entries, n) for n in range(len(entries))]
            else:
                holder[place] = self._leaf(item)
        return top[0]

    def data(self, data: bytes) -> bool:
        """True if bytes name the subject: text of the usual encodings in any form; in other bytes,
        names of six characters or more in any case, and of four as they were given."""
        texts = list(decoded(data))
        return any(map(self.names, texts)) if texts else self._in_binary(data)

    def without(self, data: bytes) -> bytes:
        """Bytes that name the subject, without: a UTF-8 text rewritten, others replaced whole."""
        try:
            return self.text(data.decode("utf-8")).encode()
        except UnicodeDecodeError:
            return ERASED.encode()

    def _keys(self, value: dict[str, Any]) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        for key, item in value.items():
            plain[unused(self.ident(key), plain)] = item
        return plain

    def _leaf(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return ERASED if number and str(value) in self._exact else value

    def _in_binary(self, data: bytes) -> bool:
        texts = (data.decode("latin-1").lower(), folded(data.decode("utf-8", "ignore")))
        return any(map(self._sure.search, texts)) or any(
            name.encode() in data for name in self.subject.strings if 4 <= len(name.encode()) < SURE
        )

    def _token(self, match: re.Match[str]) -> str:
        """A string or a number of JSON text."""
        token = match[0]
        if not token.startswith('"'):
            return f'"{ERASED}"' if token in self._exact else token
        try:
            inner = json.loads(token, strict=False)
        except ValueError:
            return token
        new = self.text(inner)
        return token if new == inner else json.dumps(new, ensure_ascii=token.isascii())

    def _replaced(self, text: str, erased: str) -> str:
        for sign, units in FORMS:
            if sign in text:
                for start, end in reversed(self._spans(text, units)):
                    text = text[:start] + erased + text[end:]
        for start, end, new in reversed(list(self._base64(text))):
            text = text[:start] + new + text[end:]
        return text

    def _spans(self, text: str, units: _Decode) -> list[tuple[int, int]]:
        """From where to where a text names the subject."""
        plain = plainly(text, units(text))
        if plain == text and text.isascii():
            return [match.span() for match in self._pattern.finditer(text.lower())]
        if not self._pattern.search(folded(plain)):
            return []
        exact = Folded(text, units(text))
        spans = (exact.span(*match.span()) for match in self._pattern.finditer(exact.text))
        return [span for span in spans if span is not None]

    def _plainly(self, text: str) -> bool:
        """True if it names the subject, base64 left aside."""
        # the plain form first: it is the usual one, and the quickest
        return any(sign in text and self._hits(text, units) for sign, units in reversed(FORMS))

    def _hits(self, text: str, units: _Decode) -> bool:
        if len(text) <= LONG:
            return bool(self._spans(text, units))
        return self._pattern.search(folded(plainly(text, units(text)))) is not None

    def _base64(self, text: str) -> Iterator[tuple[int, int, str]]:
        """From where to where base64 names the subject, and what stands there without."""
        run, tried, done = (0, 0), set[int](), False
        for match in self._encoded.finditer(text):
            if match.start() >= run[1]:
                run, tried, done = _run(text, match.start(), run[1]), set[int](), False
            group = match.lastgroup or "a0"
            start = run[0] + (match.start() - int(group[1]) - run[0]) % 4
            if done or start in tried:
                continue
            tried.add(start)
            data = decode_base64(text[start : run[1]])
            if data is not None and any(self._plainly(candidate) for candidate in decoded(data)):
                done = True
                yield start, run[1], base64.b64encode(self.without(data)).decode()


def _pattern(strings: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the strings as a whole word, in folded text."""
    return re.compile("|".join(_word(folded(each)) for each in strings) or _NEVER)


def _word(name: str) -> str:
    inner = r"\s+".join(map(re.escape, name.split()))
    edge = re.compile(_LETTER)
    before = f"(?<!{_LETTER})" if edge.match(name[0]) else ""
    last = next((sign for sign in reversed(name) if not is_mark(sign)), "")
    after = f"(?!{_LETTER})" if edge.match(last) else ""
    return f"{before}{inner}{after}"


def _encoded_pattern(strings: tuple[str, ...]) -> re.Pattern[str]:
    """The characters that a string must have in base64, at each of the three places where it may
    begin; the group's name says how far into four characters they stand."""
    forms: dict[str, set[str]] = {"a0": set(), "b2": set(), "c3": set()}
    for name in strings:
        for variant in {name, name.lower(), name.upper(), name.title(), json.dumps(name)[1:-1]}:
            data = variant.encode("utf-8", "surrogatepass")
            for shift, group in enumerate(forms):
                bits = base64.b64encode(b"\0" * shift + data)
                whole = (len(data) + shift) * 8 // 6
                inner = bits[(0, 2, 3)[shift] : whole].decode()
                if len(inner) >= 2:
                    forms[group] |= {inner, inner.replace("+", "-").replace("/", "_")}
    groups = [
        f"(?P<{group}>{'|'.join(map(re.escape, sorted(variants)))})"
        for group, variants in forms.items()
        if variants
    ]
    return re.compile("|".join(groups) or _NEVER)


def _run(text: str, place: int, after: int) -> tuple[int, int]:
    """From where to where the base64 characters around a place go, behind the run before."""
    start = place
    while start > after and text[start - 1] in _SIGNS:
        start -= 1
    match = _BASE64.match(text, start)
    assert match is not None
    return match.span()


def _is_json(text: str) -> bool:
    if text.lstrip()[:1] not in {"{", "["}:
        return False
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def unused(name: str, taken: Container[str], glue: str = " ") -> str:
    """A name that is not taken, numbered: two may be one without the subject."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}{glue}{number}", number + 1
    return free
