"""What an answer was billed, read from its bytes as they pass by."""

from collections.abc import Sequence
from typing import Any

import msgspec

from contextwright.serve.content_codings import decoder_of
from contextwright.serve.http_headers import Header, value_of
from contextwright.tokens.usage import Usage, usage_of

_LONGEST = 4 * 1024 * 1024
"""Bytes of a line, or of an answer that is no stream, that are looked at."""
_MARKS = (b'sage"', b'sageMetadata"')
"""Ends of the keys under which a usage stands."""
_MARKED = b"sage"
"""What all of them have."""


class UsageReader:
    """Reads the usage of an answer of any provider, JSON or a stream of events.

    Args:
        headers: of the answer, in lower case.

    Attributes:
        unread: why no usage is read; empty where one may be.
    """

    def __init__(self, headers: Sequence[Header]) -> None:
        coding = value_of(headers, b"content-encoding").lower()
        is_plain = coding in ("", "identity")
        self._is_stream = "event-stream" in value_of(headers, b"content-type")
        self._decode = None if is_plain else decoder_of(coding)
        self._is_readable = is_plain or self._decode is not None
        self.unread = "" if self._is_readable else f"not read: the answer is coded as {coding!r}"
        self._pending = b""
        self._usage: Usage | None = None

    def feed(self, chunk: bytes) -> None:
        """The next bytes of the answer."""
        if not self._is_readable:
            return
        try:
            text = chunk if self._decode is None else self._decode(chunk, _LONGEST)
        except ValueError:  # it is not coded as it says, or swells without end
            self._pending, self._is_readable = b"", False
            return
        if self._is_stream and not self._pending and text.endswith(b"\n") and _MARKED not in text:
            return  # whole lines, as most chunks of a stream are, without a usage
        self._pending += text
        if self._is_stream and b"\n" in text:
            whole, _, self._pending = self._pending.rpartition(b"\n")
            if any(mark in whole for mark in _MARKS):
                self._read_lines(whole)
        if len(self._pending) > _LONGEST:
            self._pending, self._is_readable = b"", False

    def usage(self) -> Usage | None:
        """What was billed, once the answer has ended; None where it does not say."""
        if self._is_readable and self._pending:
            if self._is_stream:
                self._read_lines(self._pending)
            else:
                self._take(self._pending)
            self._pending = b""
        return self._usage

    def bills(self) -> list[Usage | None]:
        """The usage of the one answer that was read."""
        return [self.usage()]

    def _read_lines(self, lines: bytes) -> None:
        for line in lines.splitlines():
            if line.startswith(b"data:") and any(mark in line for mark in _MARKS):
                self._take(line[5:])

    def _take(self, text: bytes) -> None:
        try:
            event: Any = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return
        for one in event if isinstance(event, list) else (event,):
            usage = usage_of(one)
            if usage is None:
                self._take_output(one)
            elif self._usage is None or usage.input >= self._usage.input:
                self._usage = usage
            else:  # the last event of a stream may say the answer's tokens alone
                self._usage = msgspec.structs.replace(self._usage, output=usage.output)

    def _take_output(self, event: Any) -> None:
        """Anthropic's streams say at the end how long the answer was, and no more."""
        stated = event.get("usage") if isinstance(event, dict) else None
        output = stated.get("output_tokens") if isinstance(stated, dict) else None
        if self._usage is not None and isinstance(output, int):
            self._usage = msgspec.structs.replace(self._usage, output=output)
