"""What became of a camera's images, second by second."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ImageTally"]


@dataclass(slots=True)
class ImageTally:
    """What became of the images of a second.

    Attributes:
        all_refused: images refused since the start
        all_failed: images at which the detector failed since the start
        images: looked at
        skipped: left out, because there were too many
        taken: time that looking took, s
        refusal: why the newest refused image was
        failure: what the detector raised last
    """

    all_refused: int = 0
    all_failed: int = 0
    images: int = 0
    skipped: int = 0
    taken: float = 0.0
    refusal: str = ""
    failure: str = ""

    def looked(self, taken: float) -> None:
        """An image was looked at, in so long (s)."""
        self.images += 1
        self.taken += taken

    def refuse(self, reason: str) -> None:
        """An image was refused."""
        self.all_refused += 1
        self.refusal = reason

    def fail(self, reason: str) -> None:
        """The detector failed at an image."""
        self.all_failed += 1
        self.failure = " ".join(reason.split())[:200]

    def next(self) -> ImageTally:
        """Return an empty one for the next second, with what has been counted since the start."""
        return ImageTally(self.all_refused, self.all_failed)

    def values(self) -> dict[str, str]:
        """Return the details for diagnostics."""
        return {
            "images a second": str(self.images),
            "left out a second": str(self.skipped),
            "mean time [ms]": f"{1000.0 * self.taken / max(1, self.images):.1f}",
            "refused": str(self.all_refused),
            "failed": str(self.all_failed),
        }
