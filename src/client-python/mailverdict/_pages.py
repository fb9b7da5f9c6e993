from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Callable, TypeVar

from typing_extensions import TypedDict


class PagePlace(TypedDict, total=False):
    """The place of a page. The first page has no cursor."""

    cursor: str


Page = TypeVar("Page", bound=Mapping[str, object])


def pages(read: Callable[[PagePlace], Page]) -> Iterator[Page]:
    """Yields pages until the last one."""
    place: PagePlace = {}
    while True:
        page = read(place)
        yield page
        cursor = page.get("next_cursor")
        if cursor is None:
            return
        place = {"cursor": str(cursor)}
