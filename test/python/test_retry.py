from __future__ import annotations

import pytest
from mailverdict._retry import Attempts, Outcome, wait_before_retry

NONE = Attempts(max_retries=3, may_repeat=True, jitter=0)
ONCE = NONE._replace(may_repeat=False, throttles=1)


@pytest.mark.parametrize(
    ("outcome", "attempts", "wait"),
    [
        *[pytest.param(Outcome(code), NONE, None, id=f"{code} is never retried") for code in (401, 402, 403, 404, 422)],
        pytest.param(Outcome(429, 7), NONE._replace(throttles=1), 7, id="429 waits for Retry-After"),
        pytest.param(Outcome(429, 7), NONE._replace(retries=1, throttles=2), 14, id="a second 429 waits twice as long"),
        pytest.param(Outcome(429, 7), NONE._replace(retries=2, throttles=3), 28, id="a third 429 waits four times"),
        pytest.param(Outcome(429), NONE._replace(throttles=1), 1, id="a 429 without Retry-After waits 1 s"),
        pytest.param(Outcome(500), NONE, 0.5, id="500 backs off"),
        pytest.param(Outcome(500), NONE._replace(retries=2), 2, id="a third 500 backs off further"),
        pytest.param(Outcome(503, 5), NONE, 5, id="503 waits at least for Retry-After"),
        pytest.param(Outcome(None), NONE, 0.5, id="a lost connection backs off"),
        pytest.param(Outcome(500), NONE._replace(retries=3), None, id="no retry after three retries"),
        pytest.param(Outcome(500), NONE._replace(jitter=1), 0.625, id="jitter adds up to a quarter"),
        pytest.param(Outcome(429, 300), NONE._replace(throttles=1), 300, id="a wait of five minutes is accepted"),
        pytest.param(Outcome(429, 301), NONE._replace(throttles=1), None, id="a longer wait is final"),
        pytest.param(Outcome(503, 3600), NONE, None, id="a 503 with a long Retry-After is final"),
        pytest.param(Outcome(409), NONE, None, id="409 without Retry-After is final"),
        pytest.param(Outcome(409, 2), NONE, 2, id="a request in progress waits for Retry-After"),
        pytest.param(Outcome(409, 2), NONE._replace(retries=3), 2, id="also after the last retry"),
        pytest.param(Outcome(409, 2), NONE._replace(max_retries=0), None, id="but not when retries are disabled"),
        pytest.param(Outcome(409, 0), NONE, 0.5, id="waits at least 500 ms"),
        pytest.param(Outcome(409, 2), NONE._replace(in_progress=8), 8, id="each wait doubles the total"),
        pytest.param(Outcome(409, 2), NONE._replace(in_progress=64), 16, id="a wait is at most 16 s"),
        pytest.param(Outcome(409, 2), NONE._replace(in_progress=134), 16, id="waits up to 150 s in total"),
        pytest.param(Outcome(409, 2), NONE._replace(in_progress=134.1), None, id="is final after 150 s"),
        pytest.param(Outcome(None), ONCE, None, id="a secret shown once: no answer is final"),
        pytest.param(Outcome(503), ONCE, None, id="a secret shown once: 503 is final"),
        pytest.param(Outcome(429, 7), ONCE, 7, id="a secret shown once: 429 had no effect and is retried"),
    ],
)
def test_wait_before_retry(outcome: Outcome, attempts: Attempts, wait: float | None) -> None:
    assert wait_before_retry(outcome, attempts) == wait
