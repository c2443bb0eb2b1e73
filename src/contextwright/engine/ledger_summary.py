"""What a conversation cost so far, as values and for people."""

import msgspec


class LedgerSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a conversation cost so far; money in microdollars, 0 where no price is known.

    Args:
        calls: requests that were counted.
        tokens, cached: tokens of all requests, and those of them that a cache read.
        cost: what they cost, answers left out.
        read_back_cost: of these, of requests by which answers went on to read what was left out.
        whole_tokens, whole_cost: of sending everything instead, at the same calls.
        whole_fits: whether everything could still be sent at the newest call.
        billed_calls, billed: what the provider billed, for the calls whose bill is known.
        expected: what was counted for these.
        suspended: why the spec gave way to the default, or read-back was given up; empty where
            nothing was.
        put_off: calls at which a step waited, as it was not paid for yet.
    """

    calls: int = 0
    tokens: int = 0
    cached: int = 0
    cost: int = 0
    whole_tokens: int = 0
    whole_cost: int = 0
    whole_fits: bool = True
    billed_calls: int = 0
    billed: int = 0
    expected: int = 0
    read_back_cost: int = 0
    suspended: str = ""
    put_off: int = 0

    @property
    def saved(self) -> int:
        """Microdollars less than sending everything; below 0 where it was dearer."""
        return self.whole_cost - self.cost

    def rows(self) -> tuple[tuple[str, str], ...]:
        """Its lines for a table: what, and how much."""
        lines = [
            ("calls", f"{self.calls:,}"),
            ("input tokens", f"{self.tokens:,} ({_share(self.cached, self.tokens)} from a cache)"),
            ("input cost", dollars(self.cost)),
            ("sending everything", f"{dollars(self.whole_cost)} for {self.whole_tokens:,} tokens"),
            ("saved", f"{dollars(self.saved)} ({_share(self.saved, self.whole_cost)})"),
        ]
        if self.billed_calls:
            telling = f"{dollars(self.billed)} for {self.billed_calls:,} calls"
            lines.append(("billed", f"{telling}; counted {dollars(self.expected)}"))
        if self.put_off:
            lines.append(("put off", f"a step, at {self.put_off:,} calls, until it is paid for"))
        return (*lines, *((("suspended", self.suspended),) if self.suspended else ()))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def dollars(micro: int) -> str:
    """Microdollars for people."""
    return f"{'-' if micro < 0 else ''}${abs(micro) / 1_000_000:.4f}"
