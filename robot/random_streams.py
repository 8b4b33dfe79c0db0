"""Random numbers: independent named streams that all come from one seed."""

from __future__ import annotations

import hashlib

import numpy as np

__all__ = ["RandomStreams"]


class RandomStreams:
    """Hands out generators derived from a seed and a stable name.

    A stream depends on nothing but the two, so that a new sensor or a new behaviour disturbs
    no other stream, and two strategies with the same seed meet the same worlds.

    Args:
        seed: seed of the trial, zero or more
        prefix: put before every name, dot separated
    """

    def __init__(self, seed: int, prefix: str = "") -> None:
        if seed < 0:
            raise ValueError(f"a seed must be zero or more, got {seed}")
        self.seed = seed
        self.prefix = prefix

    def child(self, name: str) -> RandomStreams:
        """Return the streams under a name, for one robot or one sensor."""
        return RandomStreams(self.seed, self._full(name))

    def generator(self, name: str) -> np.random.Generator:
        """Return a fresh generator at the start of the named stream."""
        digest = hashlib.sha256(self._full(name).encode()).digest()
        words = np.frombuffer(digest, dtype="<u4").tolist()
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, *words])))

    def _full(self, name: str) -> str:
        return f"{self.prefix}.{name}" if self.prefix else name
