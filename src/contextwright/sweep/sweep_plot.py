"""A picture of a sweep: what each spec costs beside sending everything, and what it shows."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from contextwright.errors import StoreError
from contextwright.optional_imports import optional_imports
from contextwright.sweep.run_sweep import SweepSummary

SHOWN = 48
"""Characters of a spec that a picture has room for."""


def write_sweep_plot(summaries: Sequence[SweepSummary], path: str | Path) -> None:
    """Draw the sums of a sweep: for each spec, tokens and cost of sending everything, values in
    sight and evidence; by the name of the file SVG, PNG or PDF. The same sums give the same SVG.

    Raises:
        MissingExtra: matplotlib is not there. StoreError: it can not be written.
    """
    plots = pyplot()
    figure, panels = plots.subplots(
        1, 2, figsize=(10, 1.4 + 0.6 * len(summaries)), sharey=True, layout="constrained"
    )
    bars = (
        (("tokens", "whole_tokens"), ("cost", "whole_cost")),
        (("in_sight", "values"), ("evidence", "values")),
    )
    titles = ("% of sending everything", "% of the values that calls give to tools")
    for axes, pairs, title in zip(panels, bars, titles, strict=True):
        for row, (part, whole) in enumerate(pairs):
            shares = [100 * _share(getattr(one, part), getattr(one, whole)) for one in summaries]
            places = [place + 0.36 * row - 0.18 for place in range(len(summaries))]
            drawn = axes.barh(places, shares, height=0.34, label=part.replace("_", " "))
            axes.bar_label(drawn, fmt="%.0f", padding=2, fontsize=8)
        axes.set_title(title, fontsize=10)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=2, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    names = [one.spec if len(one.spec) <= SHOWN else f"{one.spec[:SHOWN]}…" for one in summaries]
    panels[0].set_yticks(range(len(summaries)), names, fontsize=8)
    panels[0].invert_yaxis()
    write_figure(plots, figure, path)


def pyplot() -> Any:
    """matplotlib, drawing to files only, the same ones for the same figures.

    Raises:
        MissingExtra: it is not there.
    """
    with optional_imports("tune", "matplotlib", "matplotlib"):
        import matplotlib as mpl
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "contextwright"
    import matplotlib.pyplot as plt

    return plt


def refuse_unknown_picture(path: str | Path) -> None:
    """Refuse, before anything is computed, a picture of a kind that can not be drawn.

    Raises:
        MissingExtra: matplotlib is not there. StoreError: it could not be written.
    """
    plots = pyplot()
    figure = plots.figure()
    known = sorted(figure.canvas.get_supported_filetypes())
    plots.close(figure)
    kind = Path(path).suffix.removeprefix(".").lower()
    if kind and kind not in known:
        raise StoreError(
            f"no picture can be drawn as {kind!r}",
            where=str(path),
            fix=f"give FILE.svg or .png; known: {', '.join(known)}",
        )


def write_figure(plots: Any, figure: Any, path: str | Path) -> None:
    """Write a figure, and let it go.

    Raises:
        StoreError: it can not be written.
    """
    date: dict[str, Any] = {"Date": None} if Path(path).suffix == ".svg" else {}
    try:
        figure.savefig(path, bbox_inches="tight", metadata=date)
    except (OSError, ValueError) as error:
        raise StoreError(
            f"the plot can not be written: {error}", where=str(path), fix="give FILE.svg or .png"
        ) from error
    finally:
        plots.close(figure)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0
