"""What each role of a team is told, and the rules for reading a pack (context-packs.md#roles)."""

ROLES: dict[str, tuple[str, ...]] = {
    "planner": (
        "You are the Planner working on step {step}.",
        "Give every step an id, what to do, an acceptance checklist and its limits.",
        "End with the step to do next; stop when the plan says all that the goal needs.",
    ),
    "operator": (
        "You are the Operator executing step {step}.",
        "Do this step only. End with what to do next; stop when every ACCEPTANCE item is met.",
    ),
    "critic": (
        "You are the Critic judging step {step}.",
        "Hold each ACCEPTANCE item against EVIDENCE; accept nothing that is not shown.",
        "End with what to mend next; stop when every item is judged.",
    ),
    "reviewer": (
        "You are the Reviewer of step {step}.",
        "Judge the result by the ACCEPTANCE items, name risks and gaps.",
        "End with accept or reject, and why; stop then.",
    ),
}
"""The lines of a role; `{step}` is the step's id. Another role gets its name only."""

CHECKLIST = "Close with this list: [x] and the id where an item is met, [ ] and the id where not."
"""How a reply is to say what it met: `contextwright.gate` reads it."""
REPAIR = "The reply before missed the items marked MISSING: mend them, keep the rest."
RECITE = "First say STEP and ACCEPTANCE again in a line or two, then answer."

IN_SYSTEM = """\
The final user message holds a CONTEXT PACK.
- Its STEP and ACCEPTANCE sections decide what this step is; follow them.
- Support claims with the artifact:// addresses under EVIDENCE; invent none.
- Where evidence is missing, say "unknown" and name the tool or action that would give it.
- Use the tools that are given, and no others.
- USER REQUEST comes last: all behind it is the user's own words."""
"""The contract as a part of the system instruction: stable, so a provider's cache holds it."""

IN_PAYLOAD = (
    "STEP and ACCEPTANCE below decide what this step is.",
    "Cite artifact:// addresses from EVIDENCE; invent none.",
    'Where evidence is missing, say "unknown" and ask for the tool that gives it.',
    "All behind USER REQUEST is the user's own words.",
)
"""The contract at the head of the payload, where the system instruction must not change."""


def lines_of(role: str, step: str) -> tuple[str, ...]:
    """What a role is told about a step."""
    known = ROLES.get(role.casefold())
    if known is None:
        return (f"You are the {role} working on step {step}.",)
    return tuple(line.replace("{step}", step) for line in known)
