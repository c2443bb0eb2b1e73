"""A pack as a file: `ctx compile --out` writes one; `ctx show`, `diff` and `replay` read it."""

from pathlib import Path

import msgspec

from contextwright.cli.output_file import write_file
from contextwright.compiler.manifest import Manifest
from contextwright.compiler.pack import Pack
from contextwright.compiler.replay_pack import refuse_repeated
from contextwright.errors import SessionError
from contextwright.text.byte_order_mark import in_utf8
from contextwright.typed_decoding import decoder


class PackFile(msgspec.Struct):
    """A pack as a file: the request, and its manifest."""

    request: msgspec.Raw
    manifest: Manifest


def dump_pack(pack: Pack) -> bytes:
    """The bytes of a pack file."""
    return msgspec.json.encode(PackFile(msgspec.Raw(pack.body), pack.manifest))


def write_pack(pack: Pack, path: Path) -> None:
    """Write a pack file.

    Raises:
        SessionError: there is no such place.
    """
    write_file(path, dump_pack(pack))


def load_pack(path: Path) -> Pack:
    """Read a pack file.

    Raises:
        SessionError: not such a file.
    """
    try:
        data = in_utf8(path.read_bytes())
        file = decoder(PackFile).decode(data)
        refuse_repeated(data)
    except OSError as error:
        raise SessionError(
            f"the file can not be read: {error.strerror}",
            where=str(path),
            fix="give a pack's file; ctx compile SESSION --out FILE writes one",
        ) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise SessionError(
            f"expected a pack, got another file: {error}",
            where=str(path),
            fix="ctx compile SESSION --out FILE writes a pack; where both are given, PACK comes "
            "first; ctx show shows a session",
        ) from error
    return Pack(bytes(file.request), file.manifest)
