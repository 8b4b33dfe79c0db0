"""Two runs side by side as one page: each metric with the paired gap, and each trial."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from arena_trees.experiments.comparison import Comparison
from arena_trees.experiments.intervals import Estimate
from arena_trees.experiments.results import Arm, RunResult, TrialResult

__all__ = ["compare_page"]

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; }
th, td { text-align: left; padding: 0.3rem 0.8rem 0.3rem 0; }
tr { border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.number { text-align: right; }
td.text { opacity: 0.75; }
.wide { overflow-x: auto; }
"""


def compare_page(result: RunResult, title: str) -> str:
    """Return the page of a run with two arms; it needs no script and no network."""
    first, second = result.arms
    gaps = result.differences(second)
    rows = [_metric_row(name, first, second, gap) for name, gap in gaps.items()]
    counted = [f"{arm.name} (n)" for arm in (first, second)]
    heads = ("metric", *counted, f"{second.name} minus {first.name}", "pairs", "what it is")
    trials = [_trial_row(one, _pair(one, second)) for one in first.trials]
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p>Scenario {escape(result.scenario)}. A gap is of pairs: trials of one world that both have a value for; with its 95 %
interval by bootstrap, where there are enough.</p>
<div class="wide"><table><thead><tr>{_cells("th", heads, (1, 2, 3, 4))}</tr></thead>
<tbody>{"".join(rows)}</tbody></table></div>
<h2>Trials</h2>
<div class="wide"><table><thead><tr>{_cells("th", ("seed", first.name, second.name), ())}</tr></thead>
<tbody>{"".join(trials)}</tbody></table></div>
</body>
</html>
"""


def _metric_row(name: str, first: Arm, second: Arm, gap: Comparison) -> str:
    values = [arm.summary.get(name) for arm in (first, second)]
    cells = (name, *map(_estimate, values), _gap(gap.difference), str(gap.difference.n), gap.metric.text)
    return f"<tr>{_cells('td', cells, (1, 2, 3, 4))}</tr>"


def _trial_row(first: TrialResult, second: TrialResult | None) -> str:
    cells = (str(first.seed), _ending(first), "" if second is None else _ending(second))
    return f"<tr>{_cells('td', cells, ())}</tr>"


def _pair(trial: TrialResult, arm: Arm) -> TrialResult | None:
    return next((other for other in arm.trials if other.index == trial.index), None)


def _ending(trial: TrialResult) -> str:
    return f"{trial.ending} ({trial.reason})"


def _cells(tag: str, texts: Iterable[str], numbers: Iterable[int]) -> str:
    right = set(numbers)
    return "".join(
        f"<{tag}{' class=number' if place in right else ''}>{escape(text)}</{tag}>" for place, text in enumerate(texts)
    )


def _estimate(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return "not known"
    return f"{estimate.value:.3g} ({estimate.n})"


def _gap(difference: Estimate) -> str:
    if difference.value is None:
        return "not known"
    span = "" if difference.low is None else f" ({difference.low:+.3g} to {difference.high:+.3g})"
    return f"{difference.value:+.3g}{span}"
