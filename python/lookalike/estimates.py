"""The results of the building blocks, as named tuples."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["AngleEstimate", "Cardinality", "Estimate"]


class Estimate(NamedTuple):
    """An estimated similarity."""

    similarity: float
    """The estimate, between 0 and 1."""
    standard_error: float
    """The estimated standard deviation of `similarity`; 0 if all slots or no slots agree."""


class Cardinality(NamedTuple):
    """An estimated number of elements."""

    size: float
    """The number of different elements of the set."""
    standard_error: float
    """The estimated standard deviation of `size`."""


class AngleEstimate(NamedTuple):
    """The estimates from two fingerprints about their vectors."""

    distance: int
    """The number of bits in which the fingerprints differ."""
    angle: float
    """The estimated angle between the vectors, from 0 to pi."""
    angle_standard_error: float
    """The estimated standard deviation of `angle`."""
    cosine: float
    """The cosine of `angle`."""
    cosine_standard_error: float
    """The estimated standard deviation of `cosine`."""
