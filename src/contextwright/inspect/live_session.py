"""A session that is looked at live: its page's data, one call under a spec that is being typed,
other budgets. Nothing here writes anywhere."""

from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any

from contextwright.engine.engine import memo_of
from contextwright.errors import ContextwrightError
from contextwright.inspect.budget_points import budget_point, session_sums, with_budget
from contextwright.inspect.call_moments import call_moments
from contextwright.inspect.live_sources import LiveSource
from contextwright.inspect.page_data import Progress, page_data
from contextwright.inspect.redactions import cleaner
from contextwright.inspect.series import Series, SpecRun
from contextwright.inspect.spec_edits import SpecEdit, words_left_out
from contextwright.inspect.spec_findings import read_spec
from contextwright.inspect.text_limit import TEXTS, limited, text_of
from contextwright.inspect.text_table import TextTable
from contextwright.render.target import Target
from contextwright.spec.expr import Expr

POINTS = (0.125, 0.1875, 0.25, 0.375, 0.5, 0.75, 1.0, 1.5)
"""Budgets of the curve, as shares of the spec's own."""


class LiveSession:
    """What a live page asks for. One compile at a time.

    Args:
        source: where the session is read, again whenever its stamp is another one.
        specs: those of the page, as shown and read.
        texts: bytes of texts in the page; the others are asked for one by one.
    """

    def __init__(
        self,
        source: LiveSource,
        specs: Sequence[tuple[str, Expr]],
        target: Target,
        title: str,
        texts: int = TEXTS,
    ) -> None:
        self._texts = texts
        self._source = source
        self._specs, self._target, self._title = specs, target, title
        self._lock = Lock()
        self._seen = source.stamp()
        self._session = source.session()
        self._data: dict[str, Any] | None = None
        self._whole: list[Any] = []
        self._left: dict[str, int] = {}

    @property
    def seen(self) -> object:
        """The stamp of the data that was given last."""
        return self._seen

    def wait(self, seen: object, seconds: float) -> object:
        """The stamp as soon as it is another one than what was seen; else after so long."""
        return self._source.wait(seen, seconds)

    def close(self) -> None:
        """Follow no longer."""
        self._source.close()

    def data(self, progress: Progress = lambda done, total: None) -> dict[str, Any]:
        """The page's data; compiled anew where the session has changed. One that can not be read
        just now leaves what was there."""
        with self._lock:
            stamp = self._source.stamp()
            if stamp != self._seen or self._data is None:
                try:
                    session = self._source.session()
                except ContextwrightError:
                    if self._data is not None:
                        return self._data
                    raise
                self._session, self._seen = session, stamp
                whole = page_data(session, self._specs, self._target, self._title, progress)
                self._whole, self._data = whole["texts"], limited(whole, self._texts)
                self._left = {
                    entry["sha256"]: number
                    for number, entry in enumerate(self._data["texts"])
                    if isinstance(entry, dict)
                }
            return self._data

    def text(self, digest: str) -> str | None:
        """A text that the page does not hold, by its digest; None where there is none."""
        with self._lock:
            number = self._left.get(digest)
            return None if number is None else text_of(self._whole, number)

    def matches(self, query: str) -> list[int]:
        """The numbers of the texts that the page does not hold and that have these words."""
        low = query.lower()
        with self._lock:
            return [
                n for n in self._left.values() if low and low in text_of(self._whole, n).lower()
            ]

    def attempt(self, text: str, call: int, budget: int | None = None) -> dict[str, Any]:
        """One call under a spec: findings, and what a series of that one call says.

        Args:
            text: the spec as it is typed; only words of `C` are read, no file and no Python.
            call: counted from 0. budget: tokens of the spec's limit instead of its own.
        """
        spec, results = read_spec(text, self._target.model)
        if spec is None:
            return {"findings": results, "series": None}
        with self._lock:
            try:
                if budget is not None:
                    spec = with_budget(spec, budget)
                    text = repr(spec)
                return {"findings": results, "spec": text, **self._one_call(text, spec, call)}
            except ContextwrightError as error:
                failed = {"severity": "error", "code": "refused", "what": error.what, "line": 1,
                          "fix": str(error.fix or ""), "column": 1, "edit": None}  # fmt: skip
                return {"findings": [failed, *results], "series": None}

    def _one_call(self, text: str, spec: Expr, call: int) -> dict[str, Any]:
        moments = call_moments(self._session)
        moment = moments[min(max(0, call), len(moments) - 1)]
        table = TextTable(cleaner([one for _, one in (*self._specs, (text, spec))]))
        whole = self._session.snapshot()
        orders = range(whole.preamble, whole.exchange_count)
        rows = {order: row for row, order in enumerate(orders)}
        run = SpecRun(self._session, spec, self._target, memo_of(self._session.log))
        series = Series(text, self._target, table, rows)
        series.add(run.compiled(moment))
        return {"series": series.data()}

    def measured(self, text: str) -> Iterator[dict[str, Any]]:
        """What each word of a spec, and each finding with an edit, costs over the whole session:
        the spec's sums less those of the spec that the edit makes, one after the other."""
        spec, results = read_spec(text, self._target.model)
        if spec is None:
            return
        edits = [SpecEdit(one["code"], *one["edit"]) for one in results if one["edit"]]
        base = self._sums(spec)
        for edit in (*edits, *words_left_out(text)):
            other, _ = read_spec(edit.of(text), self._target.model)
            if other is None:
                continue
            try:
                sums = self._sums(other)
            except ContextwrightError:
                continue  # what the edit makes is no spec for this session
            less = {name: base[name] - sums[name] for name in base}
            yield {"what": edit.what, "edit": [edit.start, edit.stop, edit.text], **less}

    def _sums(self, spec: Expr) -> dict[str, int]:
        with self._lock:
            return session_sums(self._session, spec, self._target)

    def points(self, text: str) -> Iterator[dict[str, Any]]:
        """The whole session under the spec with other budgets, one point after the other."""
        spec, _ = read_spec(text, self._target.model)
        if spec is None:
            return
        base = self.attempt(text, 1 << 30)
        own = base["series"]["budget"][0] if base["series"] else 0
        for share in sorted(POINTS, key=lambda one: abs(one - 1)):
            tokens = min(self._target.max_input, max(500, round(own * share / 100) * 100))
            with self._lock:
                try:
                    point = budget_point(self._session, spec, self._target, tokens)
                except ContextwrightError:
                    return
            yield point
