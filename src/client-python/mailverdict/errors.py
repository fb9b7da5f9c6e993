"""What a call raises, next to TypeError for an unknown operation, field or option."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from typing_extensions import TypedDict

if TYPE_CHECKING:
    from mailverdict.types import ErrorCode


class FieldProblem(TypedDict):
    """One invalid field of a rejected request."""

    loc: list[str | int]
    msg: str
    type: str


class MailverdictError(Exception):
    """The service rejected a call."""

    def __init__(
        self,
        message: str,
        status: int,
        *,
        code: str | None = None,
        fields: Sequence[FieldProblem] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, status)
        self.message = message
        self.status = status
        self.code: ErrorCode | str | None = code
        """
        What is wrong, for programs. A later version of the service may send further codes: handle them by the status.
        None when the answer is not from the service.
        """
        self.fields = list(fields)
        """The invalid fields of a 422 answer; empty otherwise."""
        self.request_id = request_id
        """Quote it in a support request."""
        self.retry_after = retry_after
        """In seconds."""

    def __str__(self) -> str:
        return self.message


class NoAnswerError(ConnectionError):
    """No usable answer arrived after all attempts. `except ConnectionError` catches it."""


def is_transient(error: MailverdictError | NoAnswerError) -> bool:
    """Whether the same call may succeed later: the service is unavailable, busy, or at its rate limit."""
    if isinstance(error, NoAnswerError) or error.status >= 500:
        return True
    # A 409 with Retry-After: an earlier attempt, whose connection was lost, is still running.
    return error.status == 429 or (error.status == 409 and error.retry_after is not None)


class UnfinishedJobError(Exception):
    """The job has not finished, so it has no results. Call `lists.wait` first."""


class SignatureError(Exception):
    """A webhook has a wrong signature, or is older than five minutes."""
