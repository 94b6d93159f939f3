"""Near-duplicates and look-alikes."""

from __future__ import annotations

# The building blocks.
from . import similarity as similarity
from ._native import LSH as LSH
from ._native import BBitMinHash as BBitMinHash
from ._native import HammingIndex as HammingIndex
from ._native import MinHash as MinHash
from ._native import SCurve as SCurve
from ._native import Shingler as Shingler
from ._native import Signature as Signature
from ._native import Signatures as Signatures
from ._native import SimHash as SimHash
from ._native import WeightedMinHash as WeightedMinHash
from .results import AngleEstimate as AngleEstimate
from .results import Cardinality as Cardinality
from .results import Estimate as Estimate
