from __future__ import annotations

import re
from collections.abc import Mapping

from mailverdict._operations import OPERATIONS
from mailverdict._place import Place


def place_of(operation: str) -> Place:
    """Raises TypeError when the OpenAPI document has no such operation."""
    place = OPERATIONS.get(operation)
    if place is None:
        raise TypeError(f'unknown operation "{operation}". The operationIds are in /openapi.json')
    return place


def check_fields(operation: str, values: Mapping[str, object]) -> None:
    """
    Checks the names of an operation's fields, but not their values: the service checks these.
    Raises TypeError for a missing part of the path and for a field that the OpenAPI document does not have.
    """
    place = place_of(operation)
    in_path = re.findall(r"\{(\w+)\}", place.path)
    required = [*in_path, "file"] if place.takes_file else in_path
    for name in required:
        if values.get(name) in (None, ""):
            raise TypeError(f"{operation}: {name} is missing")
    # Without a list of fields, a JSON body has alternatives, which the service checks.
    if place.in_body is None and not place.takes_file:
        return
    known = [*required, *place.in_query, *(place.in_body or ())]
    for name in values:
        if name not in known:
            advice = f"Fields: {', '.join(known)}" if known else "It takes no fields"
            raise TypeError(f'{operation}: unknown field "{name}". {advice}')
