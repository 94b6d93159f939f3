"""Plots with matplotlib, which is imported only when a plot is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._native import SCurve


def new_axes() -> Any:
    """Axes of a new figure."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install lookalike[plot]") from error
    return pyplot.subplots()[1]


def plot_curve(curve: SCurve, ax: Any = None) -> Any:
    """Draws an S-curve."""
    ax = new_axes() if ax is None else ax
    similarities, probabilities = curve.points(401)
    ax.plot(similarities, probabilities, label=f"{curve.bands} x {curve.rows}")
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("similarity")
    ax.set_ylabel("probability of becoming a candidate")
    ax.legend()
    return ax
