"""What the building blocks answer, as tuples with names."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["AngleEstimate", "Cardinality", "Estimate"]


class Estimate(NamedTuple):
    """An estimated similarity."""

    similarity: float
    """Between 0 and 1."""
    standard_error: float
    """The estimated standard deviation of `similarity`; 0 where all or none of the slots agree."""


class Cardinality(NamedTuple):
    """An estimated number of elements."""

    size: float
    """How many different elements the set has."""
    standard_error: float
    """The estimated standard deviation of `size`."""


class AngleEstimate(NamedTuple):
    """What two fingerprints say about the vectors behind them."""

    distance: int
    """In how many bits the fingerprints differ."""
    angle: float
    """The estimated angle between the vectors, from 0 to pi."""
    angle_standard_error: float
    """The estimated standard deviation of `angle`."""
    cosine: float
    """The cosine of `angle`."""
    cosine_standard_error: float
    """The estimated standard deviation of `cosine`."""
