"""The order in which training sees its images: each epoch the next slice of an endless shuffled sequence."""

from __future__ import annotations

from collections.abc import Iterator

from arena_trees.robot.random_streams import RandomStreams

__all__ = ["SliceSampler"]


class SliceSampler:
    """Samples for one epoch at a time, few enough that the learning rate falls smoothly.

    An epoch depends on its number only, so that a resumed training goes on where it stopped.

    Args:
        images: number of images in all
        slice_images: number of images in an epoch
        seed: of the order
    """

    def __init__(self, images: int, slice_images: int, seed: int) -> None:
        if images < 1 or slice_images < 1:
            raise ValueError(f"needs images and a slice of them, got {images} and {slice_images}")
        self.epoch = 0
        self._images = images
        self._slice = min(slice_images, images)
        self._streams = RandomStreams(seed, "slices")

    def __len__(self) -> int:
        return self._slice

    def __iter__(self) -> Iterator[int]:
        """Yield the numbers of the next epoch's images."""
        first = self.epoch * self._slice
        self.epoch += 1
        shuffled, order = -1, []
        for place in range(first, first + self._slice):
            if place // self._images != shuffled:
                shuffled = place // self._images
                order = self._streams.generator(f"pass.{shuffled}").permutation(self._images).tolist()
            yield order[place % self._images]
