"""One Mailverdict service in plain words."""

from __future__ import annotations

import math
from types import TracebackType
from typing import TYPE_CHECKING, Callable, TypeVar, overload

import urllib3

from mailverdict._caller import Caller, Settings
from mailverdict._operations import __version__
from mailverdict._resources.keys import Keys
from mailverdict._resources.lists import Lists
from mailverdict._resources.nodes import Nodes
from mailverdict._resources.suppress import Suppress
from mailverdict._resources.webhooks import Webhooks
from mailverdict.errors import MailverdictError, NoAnswerError, is_transient

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from mailverdict import types

Fallback = TypeVar("Fallback")
# None is a fallback, too.
NO_FALLBACK = object()


class Client:
    """
    One Mailverdict service. Fields of the interface keep their names (`max_age_hours`). Threads can share a client.

    Each method raises MailverdictError when the service rejects the request, NoAnswerError when no answer arrives
    after all retries, and TypeError for an unknown field. `call` makes every other call by its `operationId`. Calls
    that send a POST and have options accept `idempotency_key`, so that a retry is never charged twice; by default it
    is generated.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        admin_secret: str | None = None,
        base_url: str = "http://127.0.0.1:8787",
        max_retries: int = 3,
        timeout: float = 90,
        pool: urllib3.PoolManager | None = None,
        on_wait: Callable[[float, int | None], None] | None = None,
    ) -> None:
        """
        Opens no connection. Without `api_key`, the service limits calls by IP address. With `admin_secret`, every
        call acts as the operator. `timeout` is that of one attempt, in seconds: a verification can take 30 s. `pool`
        replaces the pool of connections, for example by a `urllib3.ProxyManager`. `on_wait` is called before each
        retry with the wait in seconds and the status, which is None when no answer arrived.
        Raises ValueError for a key or a URL that cannot be sent.
        """
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url: must start with http:// or https://, not {base_url!r}")
        headers = {"user-agent": f"mailverdict-python/{__version__}"}
        for name, header, secret in (
            ("api_key", "x-api-key", api_key),
            ("admin_secret", "x-admin-secret", admin_secret),
        ):
            if not secret:
                continue
            if not (secret.isascii() and secret.isprintable()):
                raise ValueError(f"{name}: has a character that a header cannot carry")
            headers[header] = secret
        # Each thread can keep a connection of its own.
        self._pool = urllib3.PoolManager(maxsize=10) if pool is None else pool
        self._owns_pool = pool is None
        caller = Caller(
            Settings(
                base_url=base_url.rstrip("/"),
                headers=headers,
                max_retries=max_retries,
                timeout=timeout,
                call_timeout=math.inf,
                pool=self._pool,
                on_wait=on_wait,
            )
        )
        self._caller = caller
        self.call = caller.call
        self.stream = caller.stream
        self.lists = Lists(caller)
        self.keys = Keys(caller)
        self.suppress = Suppress(caller)
        self.webhooks = Webhooks(caller)
        self.nodes = Nodes(caller)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the idle connections, except those of a given `pool`. A later call opens new ones."""
        if self._owns_pool:
            self._pool.clear()

    @overload
    def verify(
        self, email: str, *, timeout: float | None = None, **options: Unpack[types.VerifyOptions]
    ) -> types.Deliverability: ...

    @overload
    def verify(
        self,
        email: str,
        *,
        timeout: float | None = None,
        fallback: Fallback,
        **options: Unpack[types.VerifyOptions],
    ) -> types.Deliverability | Fallback: ...

    def verify(
        self,
        email: str,
        *,
        timeout: float | None = None,
        fallback: object = NO_FALLBACK,
        **options: Unpack[types.VerifyOptions],
    ) -> object:
        """
        Verifies one address with a live SMTP probe, which takes up to 30 s. `deliverability_score.can_send` is the
        decision. A string that is no address gets the status `invalid`, free of charge.

        `timeout` is that of the whole call with its retries, in seconds. `fallback` is returned in place of the error
        of a timeout, a lost connection, a 5xx and a 429. Other errors are raised.
        Cost: one credit, and another with `breach`. A fresh stored result and an `unknown` one are free.
        Raises MailverdictError 402 without credits left, 429 above the rate limit (after the retries).
        """
        caller = self._caller if timeout is None else self._caller.within(timeout)
        try:
            return caller.call("validateByBody", email=email, **options)
        except (MailverdictError, NoAnswerError) as error:
            if fallback is NO_FALLBACK or not is_transient(error):
                raise
            return fallback

    def verify_fast(self, email: str, **options: Unpack[types.StoredOptions]) -> types.ValidateFastAnswer | None:
        """
        Reads the stored result of an address in a few milliseconds, without a probe. Cost: none.
        Returns None when no fresh result is stored: then call `verify`. `max_age_hours` says how old it may be.
        Raises MailverdictError 422 for an invalid option, 429 above the rate limit.
        """
        try:
            return self.call("validateFast", email=email, **options)
        except MailverdictError as error:
            if error.status == 404:
                return None
            raise

    def find(self, **person: Unpack[types.FindEmailV2Input]) -> types.FoundEmail:
        """
        Finds a person's address at a company, from names, the company's domain and its known formats.

        Cost: 5 credits when `outcome` is `verified` or `likely`, otherwise none.
        Raises MailverdictError 400 for a mailbox provider such as gmail.com, 402 without credits left.
        """
        return self.call("findEmailV2", **person)

    def domain(self, domain: str) -> types.DomainIntel:
        """
        Reads what is known of a domain: its operator, mail hosts, records and catch-all result. Needs no key. Cost:
        none. `domain` is a domain, or a URL or an address of it.
        Raises MailverdictError 400 for a string without a domain.
        """
        return self.call("domainIntel", domain=domain)

    def usage(self) -> types.UsageAnswer:
        """
        Reads the month's credits: used, left, bought, and the seconds until the reset. Cost: none.
        Raises MailverdictError 401 without a key.
        """
        return self.call("usage")

    def account(self) -> types.WhoAmIAnswer:
        """
        Reads the account of the API key: its identifier, email address and plan. Cost: none.
        Raises MailverdictError 401 without a key.
        """
        return self.call("whoAmI")
