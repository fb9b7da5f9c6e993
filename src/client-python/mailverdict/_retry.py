from __future__ import annotations

from typing import NamedTuple

FIRST_WAIT = 0.5
MAX_BACKOFF = 60.0
# At the monthly limit, Retry-After is days: fail instead.
MAX_WAIT = 5 * 60.0
# The service reserves an idempotency key for at most 120 s. Then it runs the repeated request.
MAX_IN_PROGRESS = 150.0
MAX_IN_PROGRESS_WAIT = 16.0


class Outcome(NamedTuple):
    """The outcome of one attempt."""

    status: int | None
    """None when no answer arrived."""
    retry_after: float | None = None
    """In seconds."""


class Attempts(NamedTuple):
    """The attempts of a call so far."""

    max_retries: int
    may_repeat: bool
    """Whether a repeat of the request is safe."""
    jitter: float = 0.0
    """0 to 1. Adds up to a quarter to a backoff, so that many clients do not retry at once."""
    retries: int = 0
    """Without the waits for a request in progress."""
    throttles: int = 0
    """Number of 429 answers, including the current one."""
    in_progress: float = 0.0
    """Total wait for a first request in progress, in seconds."""


def wait_before_retry(outcome: Outcome, attempts: Attempts) -> float | None:
    """
    Returns the wait before the next attempt in seconds, or None for no retry. A 429 waits for Retry-After and doubles
    with each further 429. A 5xx and a lost connection back off exponentially. Every other status is final.
    """
    if is_in_progress(outcome):
        return _wait_in_progress(outcome.retry_after or 0.0, attempts)
    if attempts.retries >= attempts.max_retries:
        return None
    # Only a 429 certainly had no effect. A 503 can follow an upstream call that took effect.
    if not attempts.may_repeat and outcome.status != 429:
        return None
    wait = _wait_after_failure(outcome, attempts)
    return None if wait is None or wait > MAX_WAIT else wait


def is_in_progress(outcome: Outcome) -> bool:
    """Whether an earlier attempt, whose connection was lost, is still running. A repeat will get its answer."""
    return outcome.status == 409 and outcome.retry_after is not None


def _wait_in_progress(retry_after: float, attempts: Attempts) -> float | None:
    # Each wait doubles the total, because these requests count against the limit per minute too.
    wait = max(retry_after, FIRST_WAIT, min(MAX_IN_PROGRESS_WAIT, attempts.in_progress))
    return None if attempts.max_retries == 0 or attempts.in_progress + wait > MAX_IN_PROGRESS else wait


def _wait_after_failure(outcome: Outcome, attempts: Attempts) -> float | None:
    if outcome.status == 429:
        after = 1.0 if outcome.retry_after is None else outcome.retry_after
        return after * 2.0 ** (attempts.throttles - 1)
    if outcome.status is not None and outcome.status < 500:
        return None
    backoff = min(MAX_BACKOFF, FIRST_WAIT * 2.0**attempts.retries)
    return max(outcome.retry_after or 0.0, backoff * (1 + attempts.jitter / 4))
