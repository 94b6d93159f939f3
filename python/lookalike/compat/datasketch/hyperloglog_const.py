"""The measured biases of HyperLogLog++, for the precisions from 4 to 18."""

from __future__ import annotations

from lookalike import _native

_tables = _native.compat_hyperloglog_tables()
_thresholds = [int(threshold) for threshold, _, _ in _tables]
_raw_estimate = [raw for _, raw, _ in _tables]
_bias = [bias for _, _, bias in _tables]
