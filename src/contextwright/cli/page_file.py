"""Pages of `ctx inspect` and `ctx try` as files."""

from pathlib import Path
from typing import Any

import click

from contextwright.cli.output_file import write_file

MB = 1_000_000


def texts_option() -> Any:
    """How much text a page holds."""
    return click.option(
        "--texts",
        type=click.IntRange(1),
        default=20,
        show_default=True,
        metavar="MB",
        help="Texts that a page holds; of a larger session the newest calls stay whole.",
    )


def write_page(data: dict[str, Any], megabytes: int, out: Path) -> int:
    """Write a page, say what of its texts is not in it, and give its size in bytes.

    Raises:
        SessionError: the file can not be written.
    """
    from contextwright.inspect.page import page
    from contextwright.inspect.text_limit import limited

    shown = limited(data, megabytes * MB)
    written = page(shown).encode("utf-8")
    write_file(out, written)
    if "left" in shown:
        left = shown["left"]
        click.echo(
            f"{left['texts']:,} texts ({left['bytes'] / MB:,.1f} MB) are not in {out.name}, the "
            f"newest {left['whole']:,} calls are whole: --texts keeps more, ctx inspect --serve "
            "loads them when asked for",
            err=True,
        )
    return len(written)
