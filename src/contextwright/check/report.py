"""The checker's report, for people (context-algebra.md#worked-example) and for machines."""

from textwrap import wrap
from typing import Literal

import msgspec

Severity = Literal["error", "warning"]


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong, or may be.

    Args:
        severity: `error`, the contract does not hold; `warning`, it may surprise.
        code: names the rule: `unwritten-key`, `unbounded`.
        agent: whose it is; empty for the whole pipeline.
        where: the place in the spec, as code.
        what: what is wrong.
        fix: what to do.
    """

    severity: Severity
    code: str
    agent: str
    where: str
    what: str
    fix: str


class TierReport(msgspec.Struct, frozen=True):
    """The terms and tokens of one tier.

    Args:
        tier: 1 to 4; what no priority was set for is in tier 2.
        terms: the terms of the spec, as code.
        least, most: tokens in the samples; None where there was none.
    """

    tier: int
    terms: tuple[str, ...]
    least: int | None = None
    most: int | None = None


class AgentReport(msgspec.Struct, frozen=True, kw_only=True):
    """The context of one agent, and the keys it writes.

    Args:
        budget: tokens that its spec allows; None where it sets no limit.
        overflow: the limit's label: what it does with more.
        headroom: tokens of the budget that the samples left free, least and most.
        grows: whether something in it grows with the session without a limit.
    """

    agent: str
    spec: str
    budget: int | None
    overflow: str
    tiers: tuple[TierReport, ...]
    headroom: tuple[int, int] | None
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    guards: tuple[str, ...]
    grows: bool


class Report(msgspec.Struct, frozen=True):
    """All of it.

    Args:
        agents: in the order in which they could run.
        findings: errors first.
        rules: what was checked for the whole pipeline, and whether it holds.
        samples: how many moments of a session were measured; 0 where none was given.
    """

    agents: tuple[AgentReport, ...]
    findings: tuple[Finding, ...]
    rules: dict[str, bool]
    samples: int = 0

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Findings that must be mended."""
        return tuple(one for one in self.findings if one.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Findings that may surprise."""
        return tuple(one for one in self.findings if one.severity == "warning")

    def __repr__(self) -> str:
        return self.text()

    def to_json(self) -> bytes:
        """The report as canonical JSON."""
        return msgspec.json.encode(self, order="sorted")

    def text(self) -> str:
        """The report for people: a paragraph an agent, a line a rule."""
        lines: list[str] = []
        for agent in self.agents:
            lines += [*self._agent(agent), ""]
        for rule, holds in self.rules.items():
            lines.append(f"{'✓' if holds else '✗'} {rule}")
        shared = [one for one in self.findings if not one.agent]
        return "\n".join([*lines, *_shown(shared)])

    def _agent(self, agent: AgentReport) -> list[str]:
        own = [one for one in self.findings if one.agent == agent.agent]
        mark = "✗" if any(one.severity == "error" for one in own) else "✓"
        lines = [f"{mark} {agent.agent}: {_headline(agent)}"]
        for tier in agent.tiers:
            lines.append(f"  Tier {tier.tier}: {' + '.join(tier.terms)}{_tokens(tier)}")
        lines.append(f"  Budget: {_budget(agent)}")
        for name, keys in (("Reads", agent.reads), ("Writes", agent.writes)):
            if keys:
                lines.append(f"  {name}: {', '.join(keys)}")
        if agent.guards:
            lines.append(f"  Guards: {', '.join(agent.guards)}")
        return lines + _shown(own)


def _headline(agent: AgentReport) -> str:
    tiers = len(agent.tiers)
    if not tiers:
        return "sees its instruction and what is asked now"
    limit = f"within {agent.budget:,} tokens" if agent.budget is not None else "without a limit"
    return f"{tiers}-tier context {limit}" if tiers > 1 else f"context {limit}"


def _tokens(tier: TierReport) -> str:
    if tier.least is None or tier.most is None:
        return ""
    if tier.least == tier.most:
        return f" ({tier.most:,} tokens)"
    return f" ({tier.least:,}-{tier.most:,} tokens)"


def _budget(agent: AgentReport) -> str:
    if agent.budget is None:
        return "none; it grows with the session" if agent.grows else "none; nothing in it grows"
    line = f"{agent.budget:,} tokens ({agent.overflow})"
    if agent.headroom is not None:
        low, high = agent.headroom
        line += f"; headroom {low:,}-{high:,}" if low != high else f"; headroom {high:,}"
    return line


def _shown(findings: list[Finding]) -> list[str]:
    lines: list[str] = []
    for one in findings:
        mark = "✗" if one.severity == "error" else "!"
        lines += _wrapped(f"  {mark} {one.code}: ", one.what)
        lines += _wrapped("      at:  ", one.where) if one.where else []
        lines += _wrapped("      fix: ", one.fix)
    return lines


def _wrapped(head: str, text: str) -> list[str]:
    """Lines of a terminal's width; code in them is not broken at its hyphens."""
    return wrap(
        text,
        80,
        initial_indent=head,
        subsequent_indent=" " * 11,
        break_long_words=False,
        break_on_hyphens=False,
    )
