"""A picture of a search: what every trial costs and shows, and which of them no other beats."""

from pathlib import Path

from contextwright.sweep.sweep_plot import pyplot, write_figure
from contextwright.tune.run_tuning import Tuning


def write_pareto_plot(tuning: Tuning, path: str | Path) -> None:
    """Draw the trials of a search: cost across, calls with all their values in sight upwards; by
    the name of the file SVG, PNG or PDF. The same search gives the same SVG.

    Raises:
        MissingExtra: matplotlib is not there. StoreError: it can not be written.
    """
    plots = pyplot()
    figure, axes = plots.subplots(figsize=(7, 4.5))
    trials = [(one.figures["cost"], one.figures["calls"]) for one in tuning.points]
    axes.scatter([x for x, _ in trials], [y for _, y in trials], color="#9aa5b1", s=18)
    front = sorted(trials)
    line: list[tuple[float, float]] = []
    for cost, calls in front:  # nothing that is cheaper shows as much
        if not line or calls > line[-1][1]:
            line.append((cost, calls))
    axes.step(
        [x for x, _ in line], [y for _, y in line], where="post", color="#3567b5", label="best"
    )
    default = tuning.default
    axes.scatter(
        [default["cost"]], [default["calls"]], color="#c0392b", marker="D", label="default"
    )
    for one in tuning.points:
        if one.number == tuning.chosen:
            x, y = one.figures["cost"], one.figures["calls"]
            axes.scatter([x], [y], color="#1e8449", marker="*", s=130, label="chosen")
    axes.set_xlabel("cost, of sending everything")
    axes.set_ylabel("calls with all their values in sight")
    axes.set_title(f"{len(trials)} of {tuning.tuned.trials} trials, budget {tuning.tuned.budget:,}")
    axes.legend(loc="lower right", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    write_figure(plots, figure, path)
