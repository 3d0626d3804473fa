"""Where the attention bias of the miniature judge is on: followed token by token while it reads and writes.

The same as `aptone.models.omni.attention.extend` does for judges on torch, for one reply at a time.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from aptone.models.omni.attention_regions import Markers, Region


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reply stands behind its last token.

    Args:
        markers: what opens, closes and sounds.
        inside: whether each of `Markers.pairs` is open.
        heard: whether the audio has begun.
    """

    markers: Markers
    inside: tuple[bool, ...]
    heard: bool = False

    @classmethod
    def start(cls, markers: Markers) -> "Place":
        """Before the first token."""
        return cls(markers, (False,) * len(markers.pairs))

    @property
    def is_active(self) -> bool:
        """Whether attention is biased where the next token attends."""
        return any(self.inside[: len(self.markers.spans)])

    def region(self, token: int) -> Region:
        """What the next token belongs to."""
        reasoning = self.markers.reasoning
        if token in self.markers.audio:
            return Region.AUDIO
        if not self.heard:
            return Region.INSTRUCTION
        if reasoning is None or self.inside[-1] or token == reasoning[0]:
            return Region.REST
        return Region.BASE

    def behind(self, token: int) -> "Place":
        """The place behind the next token."""
        heard = self.heard or token in self.markers.audio
        pairs = zip(self.inside, self.markers.pairs, strict=True)
        inside = tuple(
            token == opening if token in (opening, closing) else is_open for is_open, (opening, closing) in pairs
        )
        return self if (heard, inside) == (self.heard, self.inside) else replace(self, inside=inside, heard=heard)


@dataclass(frozen=True, slots=True)
class Followed:
    """Tokens that were followed.

    Args:
        regions: of each.
        active: whether attention is biased where each attends.
        place: behind the last one.
    """

    regions: tuple[Region, ...]
    active: tuple[bool, ...]
    place: Place


def follow(place: Place, ids: Iterable[int]) -> Followed:
    """Follow tokens from a place on."""
    regions: list[Region] = []
    active: list[bool] = []
    for token in ids:
        regions.append(place.region(token))
        active.append(place.is_active)
        place = place.behind(token)
    return Followed(tuple(regions), tuple(active), place)
