"""COMPRESS: fewer tokens, the same meaning."""

from typing import Any, Literal

from contextwright.atoms.compress.compact import Compact
from contextwright.atoms.compress.compress_results import CompressResults
from contextwright.atoms.compress.cool import Cool
from contextwright.atoms.compress.decay import Decay
from contextwright.atoms.compress.dedup import Dedup
from contextwright.atoms.compress.expand import Expand, ExpandRefs
from contextwright.atoms.compress.isolate import Isolate
from contextwright.atoms.compress.project import Project
from contextwright.atoms.compress.summarize import SUMMARY_TOKENS, Summarize
from contextwright.atoms.compress.summary_constraint import WINDOW, UnderPressure
from contextwright.atoms.compress.truncate import Truncate
from contextwright.spec.expr import make
from contextwright.spec.schema import schema_text
from contextwright.words.names import Names, names_of


class CompressWords:
    """COMPRESS: fewer tokens, the same meaning."""

    @staticmethod
    def compact(
        strategy: Literal["all", "tool_results", "stale"] = "all",
        *,
        stale_after: int = 5,
        min_tokens: int = 100,
        max_tokens: int = 150,
        exempt: Names = (),
        min_gain: int = 0,
    ) -> Compact:
        """Old tool results and long outputs become excerpts with a ref."""
        return make(
            Compact,
            strategy=strategy,
            stale_after=stale_after,
            min_tokens=min_tokens,
            max_tokens=max_tokens,
            exempt=names_of(exempt),
            min_gain=min_gain,
        )

    @staticmethod
    def compress_results(
        budget: int = 0, *, share: int = 10, min_tokens: int = 375, max_tokens: int = 3000
    ) -> CompressResults:
        """Large tool results in short, by what they are; the newest is whole."""
        return make(
            CompressResults,
            budget=budget,
            share=share,
            min_tokens=min_tokens,
            max_tokens=max_tokens,
        )

    @staticmethod
    def cool(threshold: int = 4096, *, model: str = "", prompt: str = "") -> Cool:
        """Nothing up to the threshold in tokens; over it the oldest outputs in short."""
        return make(Cool, threshold=threshold, model=model, prompt=prompt)

    @staticmethod
    def summary_constraint(
        pressure_threshold: float = 0.8,
        compression_ratio: float = 0.2,
        *,
        max_tokens: int = 0,
        window: int = WINDOW,
        model: str = "",
    ) -> UnderPressure:
        """What other agents said in short while the window is full."""
        return make(
            UnderPressure,
            pressure_threshold=pressure_threshold,
            compression_ratio=compression_ratio,
            max_tokens=max_tokens,
            window=window,
            model=model,
        )

    @staticmethod
    def expand(*refs: str) -> Expand | ExpandRefs:
        """What these refs name; after a pipe and without refs: every block whole."""
        return make(ExpandRefs, refs=refs) if refs else Expand()

    @staticmethod
    def expand_refs(*refs: str) -> ExpandRefs:
        """What these refs name."""
        return make(ExpandRefs, refs=refs)

    @staticmethod
    def dedup(
        strategy: Literal["exact", "structural", "semantic"] = "exact", *, model: str = ""
    ) -> Dedup:
        """One version of what stands there more than once."""
        return make(Dedup, strategy=strategy, model=model)

    @staticmethod
    def summarize(
        scope: Literal["all", "before_window", "tool_results"] = "all",
        *,
        max_tokens: int = SUMMARY_TOKENS,
        model: str = "",
        prompt: str = "",
        schema: Any = None,
    ) -> Summarize:
        """A summary of what stands to the left, or of its scope; with a schema, a record."""
        return make(
            Summarize,
            scope=scope,
            max_tokens=max_tokens,
            model=model,
            prompt=prompt,
            schema=schema_text(schema),
        )

    @staticmethod
    def project(fields: Names = (), *, exclude: Names = ()) -> Project:
        """Of structured outputs, only these fields, or all but those."""
        return make(Project, fields=names_of(fields), exclude=names_of(exclude))

    @staticmethod
    def isolate(policy: Literal["boundary", "masking", "transparent"] = "boundary") -> Isolate:
        """Finished tool traces out of the way: concluded, masked, or left."""
        return make(Isolate, policy=policy)

    @staticmethod
    def decay(full: int = 4, fold: int = 6, **options: Any) -> Decay:
        """The newest turns whole, those before folded, the rest a summary. Options are `Decay`'s:
        `by`, `summary`, `images`, `subtasks`, `step`, `max_tokens`, `model`,
        `spare`."""
        return make(Decay, full=full, fold=fold, **options)

    @staticmethod
    def truncate(
        max_tokens: int, *, strategy: Literal["head", "tail", "bookend"] = "tail"
    ) -> Truncate:
        """Cut each output and result."""
        return make(Truncate, max_tokens=max_tokens, strategy=strategy)
