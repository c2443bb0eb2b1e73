"""Files as editors of Windows and PowerShell's `>` write them."""

import codecs

import pytest

from contextwright.text.byte_order_mark import in_utf8, is_in_utf16

TEXT = '[{"role": "user", "content": "hé → 日本 🙂"}]\r\n'


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_utf_8_loses_its_mark(mark):
    assert in_utf8(mark + TEXT.encode()) == TEXT.encode() and not is_in_utf16(mark + b"{")


@pytest.mark.parametrize(
    ("mark", "encoding"), [(codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")]
)
def test_utf_16_that_says_so_is_read(mark, encoding):
    assert in_utf8(mark + TEXT.encode(encoding)) == TEXT.encode() and is_in_utf16(mark)


@pytest.mark.parametrize(
    "data", [b"\xff\xfea", b"\xff\xfe\x00\xd8", b"\xfe\xff\xd8\x00", b"", b"\xff"]
)
def test_what_is_none_stays_for_others_to_name(data):
    assert in_utf8(data) == data
