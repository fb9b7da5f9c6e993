from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from typing import Any, Callable, NamedTuple, cast

import urllib3
from urllib3.exceptions import HTTPError

from mailverdict._check_input import place_of
from mailverdict._operations import Call, Stream
from mailverdict._request import Request, request_for
from mailverdict._retry import Attempts, Outcome, is_in_progress, wait_before_retry
from mailverdict.errors import MailverdictError, NoAnswerError

PIECE = 65_536


class Settings(NamedTuple):
    """How a client calls its service. The meaning of each field is in `Client`."""

    base_url: str
    headers: dict[str, str]
    max_retries: int
    timeout: float
    call_timeout: float
    """Of a whole call with its retries. `timeout` is that of one attempt."""
    pool: urllib3.PoolManager
    on_wait: Callable[[float, int | None], None] | None


class Caller:
    """Calls one service. `call` takes any operation of the OpenAPI document by its `operationId`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.call = cast(Call, self._call)
        self.stream = cast(Stream, self._stream)

    def within(self, seconds: float) -> Caller:
        """The same caller with a timeout for each whole call."""
        return Caller(self._settings._replace(call_timeout=seconds))

    def _call(self, operation: str, /, **fields: object) -> Any:
        place = place_of(operation)
        response = self._send(request_for(operation, fields), is_streamed=False)
        if place.answers_text:
            return response.data.decode()
        try:
            return json.loads(response.data)
        except ValueError:
            raise NoAnswerError(f"the server at {self._settings.base_url} is not a Mailverdict service") from None

    def _stream(self, operation: str, /, **fields: object) -> Iterator[bytes]:
        if not place_of(operation).answers_text:
            raise TypeError(f"{operation}: its answer is not text. Use call")
        return self._pieces(request_for(operation, fields))

    def _pieces(self, request: Request) -> Iterator[bytes]:
        response = self._send(request, is_streamed=True)
        try:
            yield from iter(lambda: response.read1(PIECE), b"")
        except (HTTPError, OSError) as error:
            what = f"the answer from {self._settings.base_url} was cut off"
            raise NoAnswerError(f"{what} ({_reason(error)})") from error
        finally:
            # An answer that was not read to its end must not return to the pool.
            response.close()

    def _send(self, request: Request, *, is_streamed: bool) -> urllib3.BaseHTTPResponse:
        settings = self._settings
        attempts = Attempts(settings.max_retries, request.may_repeat)
        failure: Exception | None = None
        deadline = time.monotonic() + settings.call_timeout
        timeout = min(settings.timeout, settings.call_timeout)
        while True:
            response: urllib3.BaseHTTPResponse | None = None
            try:
                response = self._attempt(request, timeout, is_streamed=is_streamed)
            except (HTTPError, OSError) as error:
                failure = error
            if response is not None and 200 <= response.status < 300:
                return response
            # The lost attempt may have deleted it.
            if failure and response is not None and response.status == 404 and request.method == "DELETE":
                raise self._may_have_taken_effect(failure) from failure
            outcome = Outcome(None) if response is None else Outcome(response.status, _retry_after(response))
            attempts = attempts._replace(throttles=attempts.throttles + (outcome.status == 429), jitter=random.random())
            wait = wait_before_retry(outcome, attempts)
            timeout = min(settings.timeout, deadline - time.monotonic() - (wait or 0))
            if timeout <= 0:
                wait = None
            if wait is None and response is not None:
                raise self._error_of(response)
            if wait is None:
                raise self._no_answer(request, attempts.retries + 1, failure) from failure
            if is_in_progress(outcome):
                attempts = attempts._replace(in_progress=attempts.in_progress + wait)
            else:
                attempts = attempts._replace(retries=attempts.retries + 1)
            if settings.on_wait:
                settings.on_wait(wait, outcome.status)
            time.sleep(wait)

    def _attempt(self, request: Request, timeout: float, *, is_streamed: bool) -> urllib3.BaseHTTPResponse:
        settings = self._settings
        deadline = time.monotonic() + timeout
        response = settings.pool.request(
            request.method,
            settings.base_url + request.path,
            body=request.body,
            headers={**settings.headers, **request.headers},
            timeout=urllib3.Timeout(total=timeout),
            # The client retries by its own rules. A redirect would take the key to another place.
            retries=False,
            redirect=False,
            preload_content=False,
        )
        if is_streamed and 200 <= response.status < 300:
            return response
        # Read the body here: a body that is cut off or never ends counts as a failed attempt.
        try:
            pieces = []
            while piece := response.read1(PIECE):
                pieces.append(piece)
                if time.monotonic() > deadline:
                    raise TimeoutError(f"no complete answer within {timeout} s")
        except BaseException:
            response.close()
            raise
        response.release_conn()
        return urllib3.HTTPResponse(body=b"".join(pieces), status=response.status, headers=response.headers)

    def _no_answer(self, request: Request, attempts: int, failure: Exception | None) -> NoAnswerError:
        if not request.may_repeat:
            return self._may_have_taken_effect(failure)
        what = f"no answer from {self._settings.base_url}"
        return NoAnswerError(f"{what} after {attempts} attempts ({_reason(failure)})")

    def _may_have_taken_effect(self, failure: Exception | None) -> NoAnswerError:
        advice = "the request may have taken effect: check before you retry"
        return NoAnswerError(f"no answer from {self._settings.base_url} ({_reason(failure)}); {advice}")

    def _error_of(self, response: urllib3.BaseHTTPResponse) -> MailverdictError:
        try:
            body = json.loads(response.data)
        except ValueError:
            body = None
        detail = body.get("detail") if isinstance(body, dict) else None
        code = body.get("code") if isinstance(body, dict) else None
        location = response.headers.get("location")
        if 300 <= response.status < 400 and location is not None:
            detail = f"the server at {self._settings.base_url} redirects to {location}. Use the service's own URL"
        fields = detail if isinstance(detail, list) else []
        in_words = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in fields)
        return MailverdictError(
            detail if isinstance(detail, str) else in_words or f"the service returned status {response.status}",
            response.status,
            code=code if isinstance(code, str) else None,
            fields=fields,
            request_id=response.headers.get("x-request-id"),
            retry_after=_retry_after(response),
        )


def _reason(error: BaseException | None) -> str:
    """The innermost cause: urllib3's own text names objects in memory. It passes some causes as an argument."""
    while error is not None:
        inner = error.__cause__ or next((one for one in error.args if isinstance(one, BaseException)), None)
        if inner is None:
            break
        error = inner
    return str(error) or type(error).__name__


def _retry_after(response: urllib3.BaseHTTPResponse) -> float | None:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isdigit() else None
