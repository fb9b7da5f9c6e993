import type { RblAnswer, RblRequest } from "../../../schema/wire/rbl.ts"
import type { Fleet } from "../probes/fleet.ts"
import type { NodeDoor } from "../probes/node-door.ts"

export interface Rbl {
  /** Asks blocklists through the first probe node that answers; null when none does. Never rejects. */
  ask(request: Pick<RblRequest, "ips" | "zones" | "deadlineMs">): Promise<RblAnswer | null>
}

interface RblNeeds {
  readonly fleet: Pick<Fleet, "askable">
  readonly door: Pick<NodeDoor, "rbl">
  readonly randomToken: () => string
}

/** Blocklist look-ups go through probe nodes only: lists refuse public resolvers, or answer them wrongly. */
export function createRbl({ fleet, door, randomToken }: RblNeeds): Rbl {
  return {
    async ask(lookup) {
      for (const node of await fleet.askable(null)) {
        const answer = await door.rbl(node, { ...lookup, requestId: randomToken() })
        if (answer) return answer
      }
      return null
    },
  }
}
