"""Tool results into the artifact store, after a turn."""

from collections.abc import Callable

from contextwright.atoms.write.offload import Offload, Output
from contextwright.engine.run_tasks import TaskGenerator
from contextwright.errors import SpecError
from contextwright.session.session import Session
from contextwright.stores.store import ArtifactStore
from contextwright.tokens.counter import named_counter


def offloading(
    session: Session,
    atom: Offload,
    artifacts: ArtifactStore | None,
    clean: Callable[[str], str],
) -> TaskGenerator[None]:
    """Store what is large enough, list it as evidence.

    Raises:
        SpecError: there is nowhere to store it.
    """
    count = named_counter("o200k_base").count
    snapshot = session.snapshot()
    outputs = atom.outputs(snapshot, count)
    if outputs and artifacts is None:
        raise SpecError(
            f"{len(outputs)} tool results are to become artifacts, and there is no store",
            where=repr(atom),
            fix="give one: Engine(..., artifacts=FileArtifacts(FOLDER)) or record(..., artifacts=)",
        )
    stored: list[tuple[Output, str, str]] = []
    for output in outputs:
        assert artifacts is not None
        ref = artifacts.put(output.text.encode("utf-8", "replace"), name=output.name)
        task = atom.task(output, snapshot, clean)
        if task is None:
            summary = clean(atom.gist(output, count))
        else:
            summary = str((yield (task,))[0].value)
        stored.append((output, ref, summary))
    change = atom.writes(snapshot, stored)
    if any(session.state.get(key) != value for key, value in change.items()):
        session.update(change)
