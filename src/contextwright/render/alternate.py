"""Turn-taking for the providers that want it: a user first and last, neighbours merged."""

from typing import Any

from contextwright.blocks.escape import section

Wire = dict[str, Any]
EARLIER = section("Earlier messages are not shown.", source="engine")
NOTHING_NEW = section("There is no new message from the user.", source="engine")


def merged(wires: list[Wire], body: str) -> list[Wire]:
    """Neighbours of one role as one message; `body` names the list that holds the parts."""
    out: list[Wire] = []
    for wire in wires:
        if out and out[-1]["role"] == wire["role"]:
            out[-1] = {**out[-1], body: [*out[-1][body], *wire[body]]}
        else:
            out.append(wire)
    return out


def add_tail(wires: list[Wire], text: Wire, body: str, *, is_result: str) -> None:
    """The DYNAMIC text at the very end: in front of the user's own words where those are last,
    behind the results of tools otherwise."""
    if wires and wires[-1]["role"] == "user":
        parts = wires[-1][body]
        results = [part for part in parts if is_result in (part.get("type"), *part)]
        own = [part for part in parts if part not in results]
        wires[-1] = {**wires[-1], body: [*results, text, *own]}
    else:
        wires.append({"role": "user", body: [text]})
