from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mailverdict._caller import Caller

if TYPE_CHECKING:
    from mailverdict import types


class Nodes:
    """
    Probe nodes. An API key has the account's own, `admin_secret` the operator's whole fleet. No call costs credits.
    """

    def __init__(self, caller: Caller) -> None:
        self._call = caller.call

    def list(self) -> Sequence[types.FleetNode]:
        """
        Lists the nodes that serve you, with their state: the shared ones and your own.
        Raises MailverdictError 401 without a credential.
        """
        return self._call("listNodes")["nodes"]

    def health(self) -> Sequence[types.RegionHealth]:
        """Reads each region's nodes: load, round trip in ms and the findings of their self-checks."""
        return self._call("regionsHealth")["regions"]

    def drain(self, node_id: str) -> types.DrainNodeAnswer:
        """Sends no new probes to a node; running ones end. Raises MailverdictError 404 for an unknown node."""
        return self._call("drainNode", node_id=node_id)

    def resume(self, node_id: str) -> types.ResumeNodeAnswer:
        """Ends the drain of a node. Raises MailverdictError 404 for an unknown node."""
        return self._call("resumeNode", node_id=node_id)

    def remove(self, node_id: str) -> types.RemoveNodeAnswer:
        """Removes a node and its keys. Raises MailverdictError 404 for an unknown node."""
        return self._call("removeNode", node_id=node_id)
