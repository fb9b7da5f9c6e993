from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any, Union

from typing_extensions import TypeAlias

File: TypeAlias = Union[str, "os.PathLike[str]", bytes, IO[bytes], IO[str]]
"""A path, the file's bytes, or an open file."""

MEDIA_TYPES = {
    ".txt": "text/plain",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def read_file(file: Any) -> tuple[bytes, str]:
    """
    Returns a file's bytes and media type. It is read at once, so that each attempt sends the same bytes.
    Raises OSError for a path that cannot be read, and TypeError for another object.
    """
    if isinstance(file, (bytes, bytearray)):
        return bytes(file), "text/csv"
    if isinstance(file, (str, os.PathLike)):
        path = Path(file)
        return path.read_bytes(), _media_type(path)
    if not hasattr(file, "read"):
        raise TypeError(f"file: a path, bytes or an open file is required, not {type(file).__name__}")
    content = file.read()
    name = getattr(file, "name", "")
    body = content.encode() if isinstance(content, str) else content
    return body, _media_type(Path(name if isinstance(name, str) else ""))


def _media_type(path: Path) -> str:
    return MEDIA_TYPES.get(path.suffix.lower(), "text/csv")
