from __future__ import annotations

import json
import keyword
import re
import uuid
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote, urlencode

from mailverdict._check_input import check_fields, place_of
from mailverdict._file_body import read_file


class Request(NamedTuple):
    method: str
    path: str
    """With the query."""
    headers: dict[str, str]
    body: bytes | None
    may_repeat: bool
    """Whether a repeat is safe when the outcome of the first attempt is unknown."""


def request_for(operation: str, given: Mapping[str, object]) -> Request:
    """
    Builds the request: puts each field into the path, the query or the body, as the OpenAPI document defines. In a
    query, None leaves a field out. Raises TypeError for an unknown operation or field.
    """
    place = place_of(operation)
    values = {_field(name): value for name, value in given.items()}
    headers = {}
    if place.method == "POST":
        headers["idempotency-key"] = str(values.pop("idempotency_key", None) or uuid.uuid4())
    check_fields(operation, values)
    path = re.sub(r"\{(\w+)\}", lambda part: quote(_text(values.pop(part[1])), safe=""), place.path)
    has_body = place.method in ("POST", "PUT", "PATCH")
    in_query = [name for name in values if not has_body or name in place.in_query]
    query = [(name, values.pop(name)) for name in in_query]
    # The service reads "+" in a query as a plus sign, not as a space.
    text = urlencode([(name, _text(value)) for name, value in query if value is not None], quote_via=quote, safe="")
    body = None
    if place.takes_file:
        body, headers["content-type"] = read_file(values["file"])
    # An operation without query fields needs a body even for an empty input: without one the service returns 415.
    elif has_body and (values or not place.in_query):
        body, headers["content-type"] = json.dumps(values).encode(), "application/json"
    return Request(place.method, f"{path}?{text}" if text else path, headers, body, not place.shows_secret_once)


def _field(argument: str) -> str:
    """A field that is a keyword of Python is given with "_" at its end: `from_`."""
    return argument[:-1] if argument.endswith("_") and keyword.iskeyword(argument[:-1]) else argument


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
