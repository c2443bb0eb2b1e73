"""The study of a search: its folder, its sessions, its trials; optuna, which the extra `tune`
brings, proposes and remembers."""

import warnings
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from contextwright.errors import SpecError, StoreError
from contextwright.optional_imports import optional_imports
from contextwright.spec.expr import Expr
from contextwright.stores.folder import folder_at
from contextwright.stores.store import SessionStore
from contextwright.sweep.arrow import pa, pq
from contextwright.sweep.recorded_sessions import session_tables
from contextwright.sweep.sweep_table import SESSIONS
from contextwright.tune.search_space import Dimension, dimensions, varied
from contextwright.tune.tune_job import OBJECTIVES, TuneJob
from contextwright.whole_file import whole_file

with optional_imports("tune", "optuna", "optuna"):
    import optuna
    from optuna.storages.journal import JournalFileBackend

BATCH = 8
"""Trials that are proposed before the first of them is told, and swept together."""
AT_RANDOM = 16
"""Trials before a model of them proposes: two batches."""
_encode = msgspec.json.Encoder(order="sorted").encode


class StudyFolder:
    """Where a search is: its job, its sessions in two halves, and the journal of its trials.

    Raises:
        StoreError: another search is there, or it can not be made.
    """

    def __init__(self, path: Path, job: TuneJob, sources: list[str]) -> None:
        self.path, self._job = folder_at(path), job
        self._identity, self._file = _encode((job, sources)), path / "job.json"
        if self._file.exists() and self._file.read_bytes() != self._identity:
            raise StoreError(
                "another search is in this folder: other sessions, specs, budget or objectives",
                where=str(path),
                fix="give another --study, or remove the folder to begin anew",
            )

    @property
    def seen(self) -> Path:
        """The sessions that the search sees."""
        return self.path / "seen.parquet"

    @property
    def untouched(self) -> Path:
        """The sessions that it does not."""
        return self.path / "untouched.parquet"

    def split(self, sources: Iterable[str | Path | SessionStore]) -> tuple[int, int]:
        """Put the sessions in two halves, by what their bytes are: twice the same session is on one
        side. Done once; how many there are of each.

        Raises:
            SessionError: there are no such sessions. SpecError: there are fewer than two.
        """
        if not (self.seen.exists() and self.untouched.exists()):
            places = list(sources)
            digests = sorted(
                {each for table in session_tables(places) for each in self._digests(table)}
            )
            if len(digests) < 2:
                raise SpecError(
                    f"{len(digests)} sessions: one half is searched on, the other is measured on",
                    where="tune(SESSIONS)",
                    fix="give two different sessions at least, better hundreds",
                )
            self._begin()
            middle = digests[len(digests) // 2]
            for path, above in ((self.seen, False), (self.untouched, True)):
                self._write(path, places, middle, above=above)
        counts = [pq.ParquetFile(path).metadata.num_rows for path in (self.seen, self.untouched)]
        return counts[0], counts[1]

    def study(self) -> "TrialStudy":
        """The trials, as far as they are."""
        return TrialStudy(self._job, self.path / "trials.journal")

    def _begin(self) -> None:
        """From now on the folder is this search's."""
        with whole_file(self._file) as temporary:
            temporary.write_bytes(self._identity)

    def _digests(self, table: Any) -> list[str]:
        seed = str(self._job.seed).encode()
        return [sha256(seed + body).hexdigest() for body in table.column("body").to_pylist()]

    def _write(self, path: Path, sources: list[Any], middle: str, *, above: bool) -> None:
        with whole_file(path) as temporary, pq.ParquetWriter(temporary, SESSIONS) as writer:
            for table in session_tables(sources):
                mask = [(digest >= middle) is above for digest in self._digests(table)]
                writer.write_table(table.filter(pa.array(mask)))


def session_digest(body: bytes) -> str:
    """What a session is told by in a file that does not hold it."""
    return sha256(body).hexdigest()[:16]


class TrialStudy:
    """Trials in a journal, in batches. A batch that was proposed and never told is the first one
    of who goes on, so that a search that was ended finds what one at a stretch finds."""

    def __init__(self, job: TuneJob, journal: Path) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        backend = JournalFileBackend(str(journal))
        self._job, self._spaces = job, [space.spec for space in job.spaces]
        with _quiet():
            self._study: Any = optuna.create_study(
                study_name="tune",
                storage=optuna.storages.JournalStorage(backend),
                directions=[
                    "maximize" if OBJECTIVES[name] > 0 else "minimize" for name in job.objectives
                ],
                load_if_exists=True,
            )
        if not self._study.trials:
            for at, space in enumerate(self._spaces):
                self._study.enqueue_trial(self._as_written(at, space))

    @property
    def done(self) -> int:
        """Trials that were told."""
        return sum(trial.state.is_finished() for trial in self._study.trials)

    @property
    def pruned(self) -> int:
        """Trials that were given up."""
        return sum(trial.state.name == "PRUNED" for trial in self._study.trials)

    def batch(self, most: int) -> dict[int, Expr]:
        """Specs to be tried next, by their trial: those that were never told, then new ones.
        What is no spec is told at once."""
        specs: dict[int, Expr] = {}
        for trial in self._open():
            try:
                specs[trial.number] = self._spec(trial.params)
            except SpecError:
                self.give_up(trial.number)
            except KeyError:  # it was ended while it was proposed
                self._study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
        first = len(self._study.trials)
        with _quiet():
            self._study.sampler = optuna.samplers.TPESampler(
                multivariate=True,
                group=True,
                constant_liar=True,
                n_startup_trials=AT_RANDOM,
                # of the number, so that who goes on draws what one at a stretch would have drawn
                seed=self._job.seed + first,
            )
            for _ in range(min(BATCH, most) - len(specs)):
                trial = self._study.ask()
                try:
                    specs[trial.number] = self._proposed(trial)
                except SpecError:
                    self.give_up(trial.number)
        return specs

    def tell(self, number: int, values: dict[str, float]) -> None:
        """What a trial came to, in every objective."""
        self._study.set_user_attr(str(number), values)
        self._study.tell(number, [values[name] for name in self._job.objectives])

    def give_up(self, number: int) -> None:
        """A trial that is not worth going on with."""
        self._study.tell(number, state=optuna.trial.TrialState.PRUNED)

    def tried(self) -> Iterator[tuple[int, Expr, dict[str, float]]]:
        """Every trial that came to its end: number, spec, what it came to."""
        known = self._study.user_attrs
        for trial in self._study.trials:
            if trial.state.name == "COMPLETE":
                yield trial.number, self._spec(trial.params), known[str(trial.number)]

    def best(self) -> list[int]:
        """The trials that no other beats in every objective."""
        return sorted(trial.number for trial in self._study.best_trials)

    def _open(self) -> list[Any]:
        return [trial for trial in self._study.trials if trial.state.name == "RUNNING"]

    def _spec(self, picked: dict[str, Any]) -> Expr:
        return varied(self._spaces, lambda one: picked[one.name], self._job.budget)

    def _proposed(self, trial: Any) -> Expr:
        def suggested(one: Dimension) -> Any:
            if one.choices:
                return trial.suggest_categorical(one.name, one.choices)
            whole = isinstance(one.low, int) and isinstance(one.high, int)
            suggest = trial.suggest_int if whole else trial.suggest_float
            return suggest(one.name, one.low, one.high, log=one.log)

        return varied(self._spaces, suggested, self._job.budget)

    def _as_written(self, at: int, space: Expr) -> dict[str, Any]:
        several = len(self._spaces) > 1
        prefix = f"{at}." if several else ""
        picked = {f"{prefix}{one.name}": one.now for one in dimensions(space, self._job.budget)}
        return {"space": at, **picked} if several else picked


@contextmanager
def _quiet() -> Generator[None]:
    """Without optuna's warnings that parts of its sampler may change."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        yield
