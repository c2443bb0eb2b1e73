"""The one door of `compile`, `Engine` and the adapters: what stands for a session, or a spec."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias, TypedDict, TypeVar, cast, runtime_checkable

from contextwright.atoms.select.default import Default
from contextwright.blocks.resolve import ReadArtifact, RefSources
from contextwright.compiler.manifest import Manifest
from contextwright.compiler.pack import Pack
from contextwright.compiler.spec_compiler import Compiler
from contextwright.compute_gate import waiting
from contextwright.engine.default_spec import default_spec
from contextwright.errors import ModelError, SessionError, SpecError, nearest
from contextwright.formats.objects import session_from
from contextwright.process_bound import ProcessBound
from contextwright.redaction.detector import Detector, RedactionPorts
from contextwright.redaction.operators import Vault
from contextwright.render.target import Target, TargetOptions, target
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.stores.refs import Fetch, outside_reader
from contextwright.stores.store import ArtifactStore
from contextwright.tokens.models import known_model
from contextwright.uncalled_word import UncalledWord
from contextwright.words import parse

T = TypeVar("T")
OPTIONS = tuple(TargetOptions.__annotations__)
"""What `contextwright.target` takes beside a model's name."""
OWN_OPTIONS = {
    **dict.fromkeys(("models", "artifacts", "roots", "hosts", "agent", "detector", "vault",
                     "target"), "compile(...), Engine(...)"),
    **dict.fromkeys(("sessions", "memory", "scope", "retrievers", "clock", "events", "budget",
                     "suspend", "never_dearer"), "Engine(...)"),
    **dict.fromkeys(("previous", "now_ms", "steps"), "compile(...)"),
    "conversations": "Context(...)",
}  # fmt: skip
"""What `compile`, `Engine` and `Context` take themselves, each with who takes it."""
OF_CONTEXTS = {"model", "read_back", "refs", "reserved_output", "never_dearer", "budget", "memory"}
"""Options that google-adk's doors take by a `Context` alone."""
NO_HOSTS: Mapping[str, Fetch] = MappingProxyType({})
SAMPLING = {
    "temperature", "top_p", "top_k", "seed", "stop", "max_tokens", "max_completion_tokens", "n",
    "stream", "tool_choice", "reasoning_effort", "reasoning", "thinking",
    "parallel_tool_calls", "presence_penalty", "frequency_penalty", "logprobs", "user", "metadata",
}  # fmt: skip
"""Options of a provider's call, that people try to give here."""


@runtime_checkable
class HasSpec(Protocol):
    """A recipe: it stands for the spec that it has."""

    @property
    def spec(self) -> Expr:
        """The spec."""
        ...


SessionLike: TypeAlias = Session | Snapshot | list[Any] | tuple[Any, ...] | Mapping[str, Any] | Any
"""A session, a snapshot, a provider's body, a list of messages: dicts, objects of SDKs and
frameworks, texts."""
_NO_SESSION = (str, bytes, int, float, Path, Expr, type, Pack, Manifest)
"""A text could be a file's name as well as what the user says."""
SpecLike: TypeAlias = Expr | str | HasSpec | Compiler
"""A spec, its text, a recipe, or any compiler."""


class Ports(TypedDict, total=False):
    """What an application gives to a spec, as `compile` and `Engine` take it: `detector` and
    `vault` to redactions, `roots` and `hosts` to refs, and `reader`, the name of the agent's tool
    that reads refs."""

    detector: Detector | None
    vault: Vault | None
    roots: Sequence[str | Path]
    hosts: Mapping[str, Fetch]
    reader: str


def snapshot_of(source: SessionLike, where: str) -> Snapshot:
    """A conversation as it stands now.

    Raises:
        SessionError: it is none, or a message of it is not understood.
    """
    return source if isinstance(source, Snapshot) else session_of(source, where).snapshot()


def session_of(source: SessionLike, where: str) -> Session:
    """A session as it is; messages as a new one.

    Raises:
        SessionError: it is none, or a message of it is not understood.
    """
    if isinstance(source, Session):
        return source
    if source is None or isinstance(source, _NO_SESSION):
        fix = 'read_session(PATH) reads a file; [{"role": "user", "content": TEXT}] is a message'
        raise SessionError(
            f"expected a session, messages or a provider's body, got {type(source).__name__}",
            where=where,
            fix="pack.request is a provider's body" if isinstance(source, Pack) else fix,
        )
    return session_from(source)


def compiled_session(source: Session, where: str) -> Session:
    """The session itself, of which an engine knows what it sent.

    Raises:
        SessionError: anything else: what is written or learned of it would be lost.
    """
    if isinstance(source, Session):
        return source
    raise SessionError(
        f"expected a session, the one that was compiled, got {type(source).__name__}",
        where=where,
        fix="of messages make one with session_from(messages), and give it to each call",
    )


def writable_session(source: SessionLike, where: str) -> Session:
    """A session that can be written to.

    Raises:
        SessionError: a snapshot, or none at all.
    """
    if isinstance(source, Session):
        return source
    if isinstance(source, Snapshot):
        raise SessionError(
            "expected a session, got a Snapshot: what is prepared is written to the session",
            where=where,
            fix="Engine.assemble(snapshot), or give the session",
        )
    return session_of(source, where)


def whose(session: Session) -> tuple[str, Callable[[], int]]:
    """Whose spending a model's answers are: the session, and what tells its turn."""
    return session.id, lambda: session.snapshot().turn


def spec_or_compiler(
    source: SpecLike | None, where: str, whom: Target | None = None
) -> Expr | Compiler:
    """The spec that something stands for, or the compiler that it is.

    Args:
        source: None for `default_spec`.
        whom: the receiver; without one, a default has the whole conversation, and no steps.

    Raises:
        SpecError: neither, or its text is no spec.
    """
    if source is None:
        return Default() if whom is None else default_spec(whom)
    if isinstance(source, str):
        return _spec_of_text(source, where)
    if isinstance(source, Expr):
        return source
    if isinstance(source, ProcessBound):
        name = type(source).__name__
        raise SpecError(
            f"expected a spec, got {'an' if name[0] in 'AEIOU' else 'a'} {name}, whose options "
            "would come to nothing",
            where=where,
            fix=f"{name.lower()}.spec is its spec; an adapter, wrap and ContextPlugin take a "
            "Context itself",
        )
    if not isinstance(source, type):
        spec = getattr(source, "spec", None)
        if isinstance(spec, Expr):
            return spec
        if callable(getattr(source, "compile", None)):
            return cast(Compiler, source)
    if isinstance(source, UncalledWord):
        raise source.refusal("expected a spec", where)
    name = f"the class {source.__name__}" if isinstance(source, type) else type(source).__name__
    raise SpecError(
        "expected a spec, its text, a recipe with a `spec`, or a compiler with "
        f"`compile(snapshot, target)`, got {name}",
        where=where,
        fix=f"{source.__name__}(...) makes one"
        if isinstance(source, type)
        else "C.window(n=5), say",
    )


def _spec_of_text(text: str, where: str) -> Expr:
    """The spec that a text is.

    Raises:
        SpecError: it is none; where it is a model's name, that it is.
    """
    try:
        return parse(text)
    except SpecError:
        if known_model(text) is None:
            raise
        what = f"expected a spec, got the model's name {text!r}"
        raise SpecError(what, where=where, fix=f'model="{text}"') from None


def expect_options(options: Iterable[str], known: Collection[str], where: str) -> None:
    """Refuse an option that is none.

    Args:
        known: names of those that there are.
        where: the call, for errors.

    Raises:
        SpecError: one is none of them; says what it may be, or where it belongs.
    """
    for name in options:
        if name not in known:
            raise SpecError(
                f"unexpected option {name!r}",
                where=f"{where[:-1]}, {name}=...)",
                fix=_place_of(name),
            )


def target_of(
    model: str | None, explicit: Target | None, options: Mapping[str, Any], where: str
) -> Target:
    """The receiver that a call names: a target, or a model with its options.

    Args:
        model: its name.
        explicit: the target; it has its own options.
        options: of `contextwright.target`.
        where: the call, for errors.

    Raises:
        ModelError: neither, or an unknown model. SpecError: not an option, or both.
    """
    expect_options(options, OPTIONS, where)
    expect_type(
        "target", explicit, Target, where, 'contextwright.target("gpt-5"), or model="gpt-5"'
    )
    if explicit is not None:
        if options:
            raise SpecError(
                f"{next(iter(options))} is given beside a target, which has its own",
                where=where,
                fix="say it to contextwright.target(...)",
            )
        return explicit
    if isinstance(model, Expr):
        raise ModelError(
            "expected a model's name, got a spec",
            where=where,
            fix='the spec comes first: Engine(C.window(n=5), "gpt-5")',
        )
    if model is None:
        raise ModelError("neither model nor target", where=where, fix='model="gpt-5", say')
    return target(model, **options)


def _place_of(option: str) -> str:
    """Where an option belongs that is none of ours."""
    if option in {"budget", "limit", "max_input_tokens", "token_budget"}:
        return "the spec has the limit: spec | C.budget(max_tokens=8000)"
    if option in OWN_OPTIONS:
        return f"it is one of {OWN_OPTIONS[option]}"
    if option not in SAMPLING:
        return nearest(option, ("model", "spec", *OPTIONS, *OWN_OPTIONS))
    fix = f"the call to the provider takes it: create(**pack.request, {option}=...)"
    return f"{fix}; a limit of the request is C.budget(...)" if option == "max_tokens" else fix


def expect_type(name: str, value: object, type_: type, where: str, fix: str) -> None:
    """Refuse an argument that is neither None nor of its type.

    Raises:
        SpecError: it is of another.
    """
    if value is not None and not isinstance(value, type_):
        got = f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
        raise SpecError(f"expected {name} as {type_.__name__}, got {got}", where=where, fix=fix)


def _reader_of(artifacts: ArtifactStore | None, where: str) -> ReadArtifact | None:
    """How a store's texts are read; None without a store.

    Raises:
        SpecError: it can not read any.
    """
    if artifacts is None:
        return None
    if isinstance(artifacts, type) or not callable(getattr(artifacts, "read_text", None)):
        raise SpecError(
            f"expected a store of artifacts with `read_text(uri)`, got {type(artifacts).__name__}",
            where=where,
            fix='such as FileArtifacts("artifacts")',
        )
    return partial(_waited, artifacts.read_text)


def sources_of(
    artifacts: ArtifactStore | None,
    roots: Sequence[str | Path],
    hosts: Mapping[str, Fetch],
    where: str,
) -> RefSources:
    """What refs may reach outside a session (`RefSources.of_one_compile`).

    Args:
        artifacts: a store, which other sessions may share.
        roots: folders whose files may be read.
        hosts: hosts that may be asked, each with a way to fetch.
        where: the call that was given them, for an error.

    Raises:
        SpecError: a store that can not read, or roots and hosts of another type.
    """
    are_many = isinstance(roots, Iterable) and not isinstance(roots, (str, Path))
    if not are_many or not all(isinstance(one, (str, Path)) for one in roots):
        raise SpecError(
            "expected folders as a list of paths", where=f"{where}: roots", fix='roots=["reports"]'
        )
    if not isinstance(hosts, Mapping) or not all(map(callable, hosts.values())):  # pyright: ignore
        raise SpecError(
            "expected hosts, each with a function that fetches",
            where=f"{where}: hosts",
            fix='hosts={"docs.example": fetch}',
        )
    outside = outside_reader(roots, hosts)
    read = _reader_of(artifacts, where)
    return RefSources(read, partial(_waited, outside) if outside else None)


def _waited(read: Callable[[str], T], address: str) -> T:
    """What is read there; another thread computes while a disk or a network is waited for."""
    with waiting():
        return read(address)


def ports_of(detector: object, vault: object, where: str) -> RedactionPorts:
    """What the application gives redactions.

    Raises:
        SpecError: a detector that can not be asked, or a vault that is none.
    """
    if detector is not None and not (callable(detector) or hasattr(detector, "analyze")):
        raise SpecError(
            f"expected a detector that is called with a text, got {type(detector).__name__}",
            where=f"{where}: detector",
            fix="presidio_analyzer.AnalyzerEngine(), or a function that gives (start, end, entity)",
        )
    expect_type("vault", vault, Vault, where, "contextwright.Vault(key=...)")
    return RedactionPorts(detector, vault if isinstance(vault, Vault) else None, where)


def checked_ports(ports: Mapping[str, Any], where: str) -> RedactionPorts:
    """What the application gives redactions, of its `Ports`; all of them are looked at.

    Args:
        ports: by name.
        where: the call that was given them, for an error.

    Raises:
        SpecError: another name, or one of them is none.
    """
    for name in ports:
        if name not in Ports.__annotations__:
            raise SpecError(
                f"unexpected option {name!r}; expected {', '.join(Ports.__annotations__)}",
                where=where,
                fix=f"ContextPlugin(Context(spec, {name}=...)) has it"
                if name in OF_CONTEXTS
                else nearest(name, (*Ports.__annotations__, "window", "models")),
            )
    sources_of(None, ports.get("roots", ()), ports.get("hosts", {}), where)
    expect_type("reader", ports.get("reader"), str, where, 'a tool\'s name: reader="look_up"')
    return ports_of(ports.get("detector"), ports.get("vault"), where)


def compiled_by(compiler: Compiler, snapshot: Snapshot, target: Target) -> Pack:
    """The pack that a compiler of somebody's own makes.

    Raises:
        SpecError: it gives anything else, or a request in another provider's format.
    """
    pack: Any = compiler.compile(snapshot, target)
    where = f"{type(compiler).__name__}.compile(snapshot, target)"
    if not isinstance(pack, Pack):
        raise SpecError(
            f"expected a Pack, got {type(pack).__name__}",
            where=where,
            fix="return compile(snapshot, SPEC, target=target), or a Pack of your own",
        )
    if pack.receipt.format != target.format:
        raise SpecError(
            f"expected a request for {target.format}, got one for {pack.receipt.format}",
            where=where,
            fix="compile for the target that is given",
        )
    return pack


def time_of(clock: Callable[[], int] | None) -> tuple[int | None, str]:
    """The time, or why there is none: a clock that fails ends no turn."""
    if clock is None:
        return None, ""
    try:
        now_ms: object = clock()
    except Exception as error:  # noqa: BLE001 -- a clock of the user's may raise anything
        return None, f"the clock failed ({type(error).__name__}: {error}): no time"
    if isinstance(now_ms, bool) or not isinstance(now_ms, int):
        return None, f"the clock gave {now_ms!r}, expected milliseconds since 1970: no time"
    return now_ms, ""
