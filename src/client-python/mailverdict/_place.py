from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Where the fields of an operation go."""

    method: str
    path: str
    in_query: tuple[str, ...]
    in_body: tuple[str, ...] | None
    """None when the body takes any field, because its shape has alternatives."""
    takes_file: bool = False
    answers_text: bool = False
    """Whether the answer is text, such as CSV, instead of JSON."""
    shows_secret_once: bool = False
    """After a lost answer, a retry would create another secret or fail."""
