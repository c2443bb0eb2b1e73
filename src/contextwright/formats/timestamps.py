"""Moments as formats write them, and as milliseconds since 1970."""

from datetime import UTC, datetime, timedelta

_START = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def ms_of_iso(text: object) -> int | None:
    """Milliseconds of `2025-11-20T23:33:50.805Z`; None where it is no such text."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _START) // _MILLISECOND


def iso_of_ms(ms: int | None) -> str:
    """`2025-11-20T23:33:50.805Z`. Without a time, or beyond the year 9999: 1970."""
    try:
        moment = _START + (ms or 0) * _MILLISECOND
    except OverflowError:
        moment = _START
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def ms_of_seconds(seconds: object) -> int | None:
    """Milliseconds of seconds since 1970; None where it is no finite number."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return round(seconds * 1000) if abs(seconds) < 1e12 else None
