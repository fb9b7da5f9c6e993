from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Callable, cast

from mailverdict._caller import Caller
from mailverdict._pages import pages
from mailverdict.errors import MailverdictError, NoAnswerError, UnfinishedJobError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from mailverdict import types
    from mailverdict._file_body import File

FINISHED = ("complete", "completed", "failed")
PAGE = 1_000


class Lists:
    """Lists of addresses. The service verifies a list in the background; its `job_id` names it in each call."""

    def __init__(self, caller: Caller) -> None:
        self._call = caller.call
        self._stream = caller.stream

    def upload(self, file: File, **options: Unpack[types.UploadOptions]) -> types.UploadedJob:
        """
        Uploads a file and starts its verification: CSV, Excel or text with one address per line, at most 20 MB. The
        file's own columns stay beside the results in `download`.

        `file` is a path, the file's bytes, or an open file. It is read at once.
        Cost: a credit for each address, once it has a result. Duplicates, malformed lines, stored and `unknown`
        results are free.
        Raises MailverdictError 402 without credits left, 413 for a file that is too large, 422 for one that is
        unreadable.
        """
        return cast("types.UploadedJob", self._call("uploadList", file=file, **options))

    def verify(self, emails: Sequence[str], **options: Unpack[types.SubmitOptions]) -> types.SubmittedJob:
        """
        Starts the verification of addresses of any number, at most 100 MB of text. Cost and errors are those of
        `upload`.
        """
        # A string is a sequence of strings, too: its characters.
        if isinstance(emails, str):
            raise TypeError("emails: a list of addresses is required, not one string")
        answer = self._call("validateAsync", emails=list(emails), sample=False, **options)
        return cast("types.SubmittedJob", answer)

    def sample(self, file: File, **options: Unpack[types.UploadOptions]) -> types.SampleProjection:
        """
        Verifies a small sample of a file now and projects the result to the whole list. No list is created.
        Cost: a credit for each address of the sample, as in `upload`. Raises MailverdictError as `upload`.
        """
        return cast("types.SampleProjection", self._call("uploadList", file=file, sample=True, **options))

    def get(self, job_id: str) -> types.JobProgress:
        """
        Reads a list's progress, and its credits so far. Cost: none.
        Raises MailverdictError 404 for an unknown list.
        """
        return self._call("bulkStatus", job_id=job_id)

    def wait(
        self,
        job_id: str,
        *,
        on_progress: Callable[[types.Job], object] | None = None,
        poll_seconds: float = 5,
        patience_seconds: float = 900,
    ) -> types.Job:
        """
        Waits until a list is `complete` or `failed`, at most two hours without `finish_within`, and calls `on_progress`
        with each answer. Cost: none. The service may be unavailable for `patience_seconds` after its first answer.
        Raises MailverdictError 404 for an unknown list, NoAnswerError after that time without the service.
        """
        last_answer_at = float("-inf")
        while True:
            try:
                job = self._call("getJob", job_id=job_id, limit=1)
            except (NoAnswerError, MailverdictError) as error:
                is_final = isinstance(error, MailverdictError) and error.status < 500
                if is_final or time.monotonic() - last_answer_at >= patience_seconds:
                    raise
            else:
                last_answer_at = time.monotonic()
                if on_progress:
                    on_progress(job)
                if job["status"] in FINISHED:
                    return job
            time.sleep(poll_seconds)

    def results(self, job_id: str, **options: Unpack[types.ResultOptions]) -> Iterator[types.ListResult]:
        """
        Yields each result of a finished list, page by page. Cost: none.
        Raises UnfinishedJobError before the list's end, MailverdictError 404 for an unknown list.
        """
        for page in pages(lambda place: self._call("getJob", job_id=job_id, limit=PAGE, **options, **place)):
            results = page["results"]
            if results is None or page.get("partial"):
                raise UnfinishedJobError(f"{job_id} has not finished yet")
            yield from results

    def report(self, job_id: str) -> types.ListReport:
        """
        Reads a list's figures: statuses, risks and domains. Cost: none.
        Raises MailverdictError 404 for an unknown list.
        """
        return self._call("bulkReport", job_id=job_id)

    def download(self, job_id: str, **options: Unpack[types.DownloadOptions]) -> Iterator[bytes]:
        """
        Yields the list's result file in pieces: CSV, or the `format` json, ndjson or xlsx. Cost: none.
        `open(path, "wb").writelines(client.lists.download(job_id))` stores it.
        Raises MailverdictError 404 for an unknown list, NoAnswerError when the file is cut off.
        """
        return self._stream("downloadResults", job_id=job_id, **options)

    def cancel(self, job_id: str) -> types.JobProgress:
        """
        Cancels a list. It keeps its finished results, and only these are charged.
        Raises MailverdictError 404 for an unknown list, 409 for a finished one.
        """
        return self._call("cancelJob", job_id=job_id)

    def all(self, **options: Unpack[types.ListFilter]) -> Iterator[types.JobProgress]:
        """Yields every list of the account, newest first. Cost: none. `name` is a part of the file's name."""
        for page in pages(lambda place: self._call("listJobs", **options, **place)):
            yield from page["jobs"]
