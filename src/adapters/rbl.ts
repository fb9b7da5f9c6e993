import type { RblAnswer, RblRequest } from "../../schema/wire/rbl.ts"
import type { Fleet } from "./probes/fleet.ts"
import type { NodeClient } from "./probes/node-client.ts"

export interface Rbl {
  /** Queries blocklists through the first probe node that answers; null when none does. Never rejects. */
  query(request: Pick<RblRequest, "ips" | "zones" | "deadlineMs">): Promise<RblAnswer | null>
}

interface RblDeps {
  readonly fleet: Pick<Fleet, "usableNodes">
  readonly nodeClient: Pick<NodeClient, "rbl">
  readonly randomToken: () => string
}

/** Blocklist lookups go through probe nodes only: blocklists refuse public resolvers or answer them wrongly. */
export function createRbl({ fleet, nodeClient, randomToken }: RblDeps): Rbl {
  return {
    async query(lookup) {
      for (const node of await fleet.usableNodes(null)) {
        const answer = await nodeClient.rbl(node, { ...lookup, requestId: randomToken() })
        if (answer) return answer
      }
      return null
    },
  }
}
