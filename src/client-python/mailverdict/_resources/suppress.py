from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mailverdict._caller import Caller
from mailverdict._pages import pages

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from mailverdict import types
    from mailverdict._file_body import File


class Suppress:
    """
    The account's suppression list. A suppressed address has `can_send: false` in each answer. No call costs credits.
    """

    def __init__(self, caller: Caller) -> None:
        self._call = caller.call
        self._stream = caller.stream

    def add(self, email: str, **options: Unpack[types.SuppressionOptions]) -> types.SuppressionAdded:
        """
        Suppresses an address. Adding it again never weakens its entry. `reason` is `manual` by default, and the entry
        is permanent without `expires_in_days`. Raises MailverdictError 400 for a string that is no address.
        """
        options.setdefault("reason", "manual")
        return self._call("addSuppression", email=email, **options)

    def add_domain(self, domain: str, **options: Unpack[types.SuppressionOptions]) -> types.SuppressionAdded:
        """
        Suppresses every address of a domain, without its subdomains. The options are those of `add`.
        Raises MailverdictError 400 for an invalid domain.
        """
        options.setdefault("reason", "manual")
        return self._call("addSuppression", domain=domain, **options)

    def list(self, **options: Unpack[types.SuppressionFilter]) -> Iterator[types.Suppression]:
        """Yields the entries, newest first. `search` takes a whole address, or `@` and a domain."""
        for page in pages(lambda place: self._call("listSuppressions", **options, **place)):
            yield from page["suppressions"]

    def remove(self, email: str) -> types.SuppressionRemoved:
        """
        Removes an address. `still_suppressed` says whether another entry covers it.
        Raises MailverdictError 404 for an address without an entry.
        """
        return self._call("removeSuppression", email=email)

    def remove_domain(self, domain: str) -> types.SuppressionRemoved:
        """Removes the entry of a whole domain. Raises MailverdictError 404 for a domain without an entry."""
        return self._call("removeSuppressedDomain", domain=domain)

    def import_(self, file: File, **options: Unpack[types.ImportOptions]) -> types.SuppressionImport:
        """
        Adds the rows of a CSV of this or another service. `rejected` names bad rows, `unknown_reasons` words without a
        known meaning. The options are the reason of rows without a known one, and the source of rows without one.
        Raises MailverdictError 413 for a file that is too large, 422 for one that is unreadable.
        """
        return self._call("importSuppressions", file=file, **options)

    def export(self) -> Iterator[bytes]:
        """
        Yields the whole list as the bytes of a CSV, which `import_` reads.
        Raises NoAnswerError when it is cut off.
        """
        return self._stream("exportSuppressions")
