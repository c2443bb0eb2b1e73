"""Traits: facts about a word that others may know without running it."""

from collections.abc import Mapping
from enum import Enum
from typing import Literal

import msgspec


class Gives(Enum):
    """Whether blocks come out of a source."""

    ALWAYS = "always"
    """In every session that a request can be made from: what stands behind `or_else` is never
    used."""
    MAYBE = "maybe"
    OFTEN_NOTHING = "often nothing"
    """Nothing is a normal answer, so that a selector behind a pipe is a fallback."""
    NOTHING = "nothing"


Missing = Literal["fails", "noted", "normal"]

View = Literal["block", "turn", "log", "least", "fold", "step", "near", "all"]
"""How far a step looks: at a block alone (and its age), at the other blocks of its turn too, or at
all blocks. What looks at a block alone is not given those that are certain to be dropped; a `fold`,
not those that it knows from before. One that looks at the `log` knows what it says of the others,
and one that is past its limit with the `least` of everything shortens each as far as it can, where
it is the first step behind the whole conversation alone. A spec of which nothing but the limit
looks at all is given what came since the limit's newest `step`; one of which layers give way,
the exchanges `near` its end, where those before them leave as a whole."""


class Traits(msgspec.Struct, frozen=True, kw_only=True):
    """Facts that the compiler and the checker ask of a word. A word names what differs from here.

    Args:
        gives: whether blocks come out.
        bounded: whether what it leaves of any conversation has a limit. None: as its kind says;
            what a source brings is bounded, what a step leaves is not.
        turns: the newest turns, whole, that it keeps; None: it does not go by turns alone.
        min_age: the least age of what it touches; None: it does not go by age.
        max_age: the greatest age of what it leaves, but for what is protected; None: there is none.
        tier: the tier that it puts blocks in; 0 for none.
        cap: tokens that its term may take; 0 where it sets no such limit.
        role: the only role whose events it keeps.
        step_key: state key of the step whose pack it frames
            (context-packs.md#payload): then all texts stand as sections in the newest user message.
        missing_key: what a state key does that it reads and nobody wrote: the compile `fails`;
            it is `noted`, since something is left out; it is `normal`, since the application
            sets the key.
        view: how far a step looks to decide what becomes of one block of the conversation; `block`
            of a source, that it brings the conversation as `Inputs.conversation` gives it.
        stepped: the option with the tokens that all it is given may take, of a word that decides
            anew only at a step down from there (`compiler.word_steps`); empty for one that decides
            at each request.
        answers: whether such a word decides anew for each question of the user's too, once it was
            over its limit.
        hydrates: state keys that stores and services fill before the turn, with the most entries
            that are of use.
        packs: state keys that retrievers fill before the turn, with the tokens that are of use.
        silent: whether the request does not name what it leaves out.
        scores: whether it gives what it leaves other scores: a limit by tier goes by them too.
        whole: whether it brings all of the conversation, each exchange as the log has it.
        maps: whether it leaves each exchange in its place, and makes always the same of one that
            has settled, that nothing holds, and that is `min_age` old.
        notable: whether a note may tell what holds of what it shortens or leaves out, as it does so
            to win room, not to keep anything out of sight. Of what `maps` a note tells what it
            leaves.
        window: tokens of all exchanges that it leaves, of a word that lets others go in steps of
            its own to win room; 0 of others.
        keeps_running: whether it leaves the running turn as it is: what it takes out of others,
            such as calls, is still in requests.
    """

    gives: Gives = Gives.MAYBE
    bounded: bool | None = None
    turns: int | None = None
    min_age: int | None = None
    max_age: int | None = None
    tier: int = 0
    cap: int = 0
    role: str = ""
    step_key: str = ""
    missing_key: Missing = "noted"
    view: View = "all"
    stepped: str = ""
    answers: bool = False
    hydrates: Mapping[str, int] = {}
    packs: Mapping[str, int] = {}
    silent: bool = False
    scores: bool = False
    whole: bool = False
    maps: bool = False
    notable: bool = False
    window: int = 0
    keeps_running: bool = False


PLAIN = Traits()
