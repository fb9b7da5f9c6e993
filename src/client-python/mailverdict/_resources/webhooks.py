from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mailverdict._caller import Caller
from mailverdict._pages import pages
from mailverdict.webhooks import verify_webhook

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from mailverdict import types


class Webhooks:
    """Receivers of the account's events, such as `job.completed`. No call costs credits."""

    verify_signature = staticmethod(verify_webhook)

    def __init__(self, caller: Caller) -> None:
        self._call = caller.call

    def list(self) -> Sequence[types.AccountWebhookEndpoint]:
        """Lists the account's endpoints with their state. Raises MailverdictError 401 without a key."""
        return self._call("listWebhookEndpoints")["endpoints"]

    def add(self, **endpoint: Unpack[types.AddWebhookEndpointInput]) -> types.AccountWebhookEndpoint:
        """
        Adds an HTTPS endpoint for the named events.
        Raises MailverdictError 409 above ten endpoints, 422 for a bad URL.
        """
        return self._call("addWebhookEndpoint", **endpoint)

    def update(self, endpoint_id: str, **fields: Unpack[types.EndpointChange]) -> types.AccountWebhookEndpoint:
        """
        Changes an endpoint's events or description, or pauses it.
        Raises MailverdictError 404 for an unknown endpoint.
        """
        return self._call("changeWebhookEndpoint", endpoint_id=endpoint_id, **fields)

    def remove(self, endpoint_id: str) -> types.RemoveWebhookEndpointAnswer:
        """Removes an endpoint. Raises MailverdictError 404 for an unknown endpoint."""
        return self._call("removeWebhookEndpoint", endpoint_id=endpoint_id)

    def test(self, endpoint_id: str) -> types.TestWebhookEndpointAnswer:
        """Sends a signed `webhook.test` event to an endpoint. Raises MailverdictError 404 for an unknown endpoint."""
        return self._call("testWebhookEndpoint", endpoint_id=endpoint_id)

    def deliveries(self, **options: Unpack[types.DeliveryFilter]) -> Iterator[types.WebhookDelivery]:
        """Yields deliveries with their attempts, newest first."""
        for page in pages(lambda place: self._call("listWebhookDeliveries", **options, **place)):
            yield from page["deliveries"]

    def redeliver(self, event_id: str) -> types.RedriveWebhookAnswer:
        """
        Delivers an event again, from the first attempt on.
        Raises MailverdictError 404 for an unknown event.
        """
        return self._call("redriveWebhook", event_id=event_id)
