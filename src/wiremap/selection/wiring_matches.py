"""What a pattern finds in compiled graphs, as one digest that changes when a match does."""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wiremap.errors import PatternNameWarning, PatternTooHardError
from wiremap.graph import Component, Graph, Pattern
from wiremap.graph.matching import MOST_TRIES
from wiremap.graph.serialization import digest


@dataclass(frozen=True, slots=True)
class WiringMatches:
    """All matches of one pattern.

    Attributes:
        digest: Digest of the matched components with their edges and parameters, whatever else there is.
        components: The components, by id and type.
    """

    digest: str
    components: tuple[Component, ...]

    @property
    def are_none(self) -> bool:
        """Whether the pattern matches nothing."""
        return not self.components


def wiring_matches(pattern: str, graphs: Mapping[str, Graph]) -> WiringMatches:
    """Return what *pattern* matches in *graphs*, by the recipes that make them.

    All edges of a match are in the stars of its components, so those that are matched, with their stars, tell the
    matches.

    Raises:
        PatternTooHardError: There are too many, or the search for them takes too long.
    """
    parsed = Pattern.parse(pattern)
    found: set[tuple[str, str, str]] = set()
    for recipe, graph in graphs.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PatternNameWarning)  # nobody reads it here
            for number, match in enumerate(graph.match(parsed)):
                if number == MOST_TRIES:
                    raise PatternTooHardError(number, len(parsed.nodes))
                found |= {(recipe, name, key) for name, key in match.items()}
    stars = [[*one, [star for star, _ in _stars(graphs[one[0]], one[2])]] for one in sorted(found)]
    components = {component for recipe, _, key in found for _, component in _stars(graphs[recipe], key)}
    return WiringMatches(digest(stars), tuple(sorted(components, key=lambda one: (one.id, one.type, one.source_path))))


def _stars(graph: Graph, key: str) -> Iterator[tuple[str, Component]]:
    """Yield the digest of the star of a component in each graph that it stands in; *key* has the ids of its owners."""
    for owner, inner in graph.nested.items():
        if key == owner:
            star = inner.star(owner)
            yield star.digest, star.component
        elif key.startswith(f"{owner}/"):
            yield from _stars(inner, key[len(owner) + 1 :])
    if key in graph.ids:
        star = graph.star(key)
        yield star.digest, star.component
