"""The receipt of a pack: what it was built from, what is in it, what is not, and why."""

import re
from typing import TYPE_CHECKING, Any

import msgspec

from contextwright.compiler.change import Change, StepTrace
from contextwright.compiler.lineage_ranges import ends_of
from contextwright.compiler.manifest_digest import digest_of
from contextwright.errors import MalformedRecord
from contextwright.render.insertion import Insertion
from contextwright.render.response_format import ResponseFormat
from contextwright.spec.saved_fold import SavedFold
from contextwright.spec.task import Answer
from contextwright.typed_decoding import decoder

if TYPE_CHECKING:
    from contextwright.session.session import Session


class KeptBlock(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A block that is in the request.

    Args:
        tokens: its share of the request's.
        order: the exchange that it is, counted from 0; turn, its turn. -1 outside the conversation.
        role: of its first message; tools, the tools that it calls.
        trust: whose words it holds, the least trusted of them: `operator`, `user`, `assistant`,
            `tool`, `foreign` (another agent, a memory, the state). Of a text only `operator` or
            `foreign`.
        lineage: ids of the events and blocks that it stands for; of many, neighbours as
            `event://FIRST#..LAST`.
    """

    id: str
    source: str
    layer: str
    tokens: int
    fidelity: str
    cache: str
    tier: int = 0
    score: int = -1
    ref: str = ""
    lineage: tuple[str, ...] = ()
    order: int = -1
    turn: int = -1
    role: str = ""
    tools: tuple[str, ...] = ()
    trust: str = ""
    pinned: bool = False


class Range(msgspec.Struct, frozen=True):
    """Neighbouring exchanges of the log that no term of the spec selected."""

    first: str
    last: str
    exchanges: int


class Unrendered(msgspec.Struct, frozen=True):
    """A part of a kept event, or of the `tools`, that this provider can not be sent; a field of the
    kept `messages`, or one of the `parameters`, that it has no word for."""

    event_id: str
    part: str
    reason: str


class Truncation(msgspec.Struct, frozen=True):
    """What one step of a compile took from a layer (context-packs.md#manifest).

    Args:
        action: `dropped`, `summarized`, `truncated`, `compacted`, ...
        dropped_ids: the blocks.
    """

    layer: str
    reason: str
    action: str
    dropped_ids: tuple[str, ...]


class ToolPolicy(msgspec.Struct, frozen=True):
    """Which tools a request has, and which were kept out of it.

    Args:
        rule: `step-only`, or `all` where the spec has no scope.
        sent: in the request's order.
    """

    rule: str
    sent: tuple[str, ...]
    kept_out: tuple[str, ...]


class PrefixLoss(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a cache can not read the request before to its end, and what that costs.

    Args:
        cause: `step`, the spec's limit went down; `spec`, another word or stage changed a block;
            `selection`, a term brings a block no more, or again; `state`, a text of the state or
            of a note; `tools`, `instruction`; `layout`, only how blocks are framed or joined.
        piece: of the request, where the two part. byte: the first in its canonical JSON.
        block: the first block that differs. step, reason: of the change that did it.
        step_number: how many steps the limit has taken; threshold, tokens from which on one is
            due; tokens_before, those of the request before.
        tokens: of the request before that are not shared.
        microdollars: what reading as much as the one before had would have saved more; None where
            the prices are not known.
    """

    cause: str
    piece: str
    byte: int = 0
    block: str = ""
    step: str = ""
    reason: str = ""
    step_number: int = 0
    threshold: int = 0
    tokens_before: int = 0
    tokens: int = 0
    microdollars: int | None = None


Places = tuple[tuple[int, int], ...]
"""Places of a request: how many pieces stand in front of one, and the parts of that one."""


class Prefix(msgspec.Struct, frozen=True):
    """What the request shares with the one before it, from its beginning.

    Args:
        tokens: tokens of the common prefix.
        saved_microdollars: what a cache saves on it by the model's prices, up to the last
            breakpoint where the provider asks for them, nothing below the model's minimum, less
            what is asked for writing; None where the prices are not known.
        first_difference: where the two part.
        read: of these tokens, those that a cache reads by its model's rules.
        written: tokens behind them that it writes, up to the last breakpoint where it asks for
            them.
        loss: where the request before is not the beginning of this one; unset where it is, as
            in manifests of versions that did not look.
        earlier: breakpoints of the requests before, the newest last, up to which this one has what
            was written then: a cache reads it as long as requests begin with it. Unset where there
            are none.
    """

    tokens: int
    saved_microdollars: int | None
    first_difference: str
    read: int = 0
    written: int = 0
    loss: PrefixLoss | msgspec.UnsetType = msgspec.UNSET
    earlier: Places | msgspec.UnsetType = msgspec.UNSET


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Enough to audit a pack and to build the same bytes again.

    Args:
        pack_id: derived from the checksum and the inputs; no clock in it.
        session_id, position, session_digest: the log up to where.
        state_version, state_digest: the state then.
        spec: the spec as JSON data, every option written out.
        model, format, window, reserved_output: the target.
        counter: names the token counter; `counter_factor` as decimal text.
        tools_digest: sha256 of the tool schemas.
        renamed_tools: names in the request that a provider's rules changed, to the given ones.
        now_ms: the clock that was given, if one was.
        budget: tokens that the request might have; `overflow`, what the spec said about more;
            `soft_threshold`, tokens from which on a compaction is due.
        tokens: tokens that it has, as counted: the sum of `fixed_tokens` (instruction, tools,
            overheads) and of the blocks in `kept`, by layer in `layer_tokens`.
        kept, changes, left_out, unrendered: every block and what became of it.
        inserted: texts of the request that come from no block, and neighbours merged.
        notes: fallbacks taken, state keys that were missing.
        task_id, step_id: the step that the pack is for.
        layer_budgets: tokens for each layer, where `C.allocate` shares the window out; they sum
            to the window. weights, signals: what it was shared out by, in millionths.
        truncation_events: the changes by layer and step (context-packs.md#manifest).
        artifact_uris: artifacts that the request names.
        evidence_needed: criteria of the checklist that want evidence and have none.
        tools: the tools that are sent and those that are not.
        response_format: the shape that the answer must have, if the target has one.
        read_back: whether tools that read refs were added. shows_refs: whether what was shortened
            is sent with its refs; here they stand in any case.
        overrides: what the call said itself, which wins over what a body says; `reserved_system` is
            among them where what others add counts within the limit that the spec names.
        answers: what models contributed, with who made it: a replay asks no model.
        folds: what compactions decided, in numbers: a replay takes no step again.
        limit_steps: how many steps other limits have taken in all, where the newest one stands.
        decided_at: the position of the log at which the spec decided, where a step since then is
            put off: what came since stands behind it as it came. 0 where it decided now.
        checksum: sha256 of the request's canonical JSON.
        digest: sha256 of all other fields, which `ctx replay` checks: also those that a rebuilt
            request does not show, such as the window. It finds accidents; who edits a manifest
            on purpose can make it anew.
    """

    version: int = 4
    pack_id: str
    session_id: str
    position: int
    session_digest: str
    state_version: int
    state_digest: str
    spec: dict[str, Any]
    spec_hash: str
    model: str
    format: str
    window: int
    reserved_output: int
    reserved_system: int
    cache: bool
    counter: str
    counter_factor: str
    counter_exact: bool
    tools_digest: str
    renamed_tools: dict[str, str]
    now_ms: int | None
    agent: str
    budget: int
    soft_threshold: int = 0
    overflow: str
    tokens: int
    fixed_tokens: int
    layer_tokens: dict[str, int]
    kept: tuple[KeptBlock, ...]
    changes: tuple[Change, ...]
    left_out: tuple[Range, ...]
    unrendered: tuple[Unrendered, ...]
    notes: tuple[str, ...]
    inserted: tuple[Insertion, ...] = ()
    task_id: str = ""
    step_id: str = ""
    layer_budgets: dict[str, int] = {}
    weights: dict[str, int] = {}
    signals: dict[str, int] = {}
    truncation_events: tuple[Truncation, ...] = ()
    artifact_uris: tuple[str, ...] = ()
    evidence_needed: tuple[str, ...] = ()
    tools: ToolPolicy | None = None
    answers: tuple[Answer, ...] = ()
    folds: tuple[SavedFold, ...] = ()
    limit_steps: int = 0
    decided_at: int = 0
    steps: tuple[StepTrace, ...] = ()
    prefix: Prefix | None = None
    response_format: ResponseFormat | None = None
    read_back: bool = False
    shows_refs: bool = True
    overrides: tuple[str, ...] = ()
    checksum: str
    digest: str = ""

    def __repr__(self) -> str:
        return f"<Manifest {self.outline}>"

    @property
    def outline(self) -> str:
        """The pack in a line: `pack_67f7e6173996c663: gpt-5, openai-chat, 2,847 of 3,000 tokens,
        5 blocks`."""
        count = len(self.kept)
        return (
            f"{self.pack_id}: {self.model}, {self.format}, {self.tokens:,} of {self.budget:,} "
            f"tokens, {count} block{'' if count == 1 else 's'}"
        )

    def digested(self) -> "Manifest":
        """The same with the digest of what it says."""
        return msgspec.structs.replace(self, digest=digest_of(self))

    def changes_of(self, id: str, session: "Session | None" = None) -> tuple[Change, ...]:
        """What became of a block or an event, in the order of the steps. Of what no term selected
        there is nothing: see `left_out_with`.

        Args:
            id: of a block, or of an event that a block shows.
            session: tells which events lie within a range. Without it an event is found by its
                number, where ids are numbered as in `e17`; the ends of a range are always found.
        """
        return tuple([change for change in self.changes if _is_about(change, id, session)])

    def left_out_with(self, id: str, session: "Session | None" = None) -> Range | None:
        """The exchanges that no term selected among which an event is; None where it is not.

        Args:
            id, session: as of `changes_of`.
        """
        within = (gap for gap in self.left_out if _is_within(gap.first, gap.last, id, session))
        return next(within, None)

    def to_json(self) -> bytes:
        """Canonical JSON: sorted keys, no floats but those a spec names."""
        return msgspec.json.encode(self, order="sorted")

    def abridged(self) -> dict[str, Any]:
        """The fields as people write them: shares in percent, `128k`
        (context-packs.md#manifest)."""
        window = sum(self.layer_budgets.values()) or self.window
        return {
            "pack_id": self.pack_id,
            "model": self.model,
            "window": f"{window // 1000}k" if window >= 1000 else str(window),
            "layer_budgets": {
                "slack_min" if name == "slack" else name: f"{round(100 * tokens / window)}%"
                for name, tokens in self.layer_budgets.items()
            },
            "artifact_uris": list(self.artifact_uris),
            "truncation_events": msgspec.to_builtins(self.truncation_events),
            "checksum": f"sha256:{self.checksum}",
        }


def _is_about(change: Change, id: str, session: "Session | None") -> bool:
    if id == change.id or id in change.lineage:
        return True
    if change.last:
        return _is_within(change.id, change.last, id, session)
    ranges = [ends for one in change.lineage if "://" in one and (ends := ends_of(one))]
    return True in [_is_within(*ends, id, session) for ends in ranges]


def _is_within(first: str, last: str, id: str, session: "Session | None") -> bool:
    """Whether an event is one of the ends of a range, or lies between them."""
    if id in {first, last}:
        return True
    ids = (first, id, last)
    if session is None:
        numbered = [_NUMBERED.fullmatch(one) for one in ids]
        if not all(numbered) or len({match[1] for match in numbered if match}) > 1:
            return False
        places = [int(match[2]) for match in numbered if match]
    else:
        positions = [session.log.position_of(one) for one in ids]
        places = [position for position in positions if position is not None]
    return len(places) == len(ids) and places == sorted(places)


_NUMBERED = re.compile(r"(.*?)(\d+)")


def manifest_from_json(data: bytes | str) -> Manifest:
    """Read a manifest back.

    Raises:
        MalformedRecord: a field is missing or wrong; the message names it.
    """
    try:
        return decoder(Manifest).decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise MalformedRecord(
            f"this is no manifest: {error}",
            where="manifest",
            fix="give what `Manifest.to_json()` gave, as it was",
        ) from error
