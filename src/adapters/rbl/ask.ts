import { RBL_PATH, RblAnswer, type RblRequest } from "../../../schema/wire/rbl.ts"
import { signRequest, verifyResponse, type WireRequest } from "../../../schema/wire/signature.ts"
import type { Config, ProbeNodeSetting } from "../../env.ts"
import type { Clock, Log } from "../platform.ts"

export interface Rbl {
  /** Asks blocklists through the first probe node that answers; null when none does. Never rejects. */
  ask(request: Pick<RblRequest, "ips" | "zones" | "deadlineMs">): Promise<RblAnswer | null>
}

const ANSWER_GRACE_MS = 1_000

/** Blocklist look-ups go through probe nodes only: lists refuse public resolvers, or answer them wrongly. */
export function createRbl(needs: { config: Config; clock: Clock; log: Log; randomToken: () => string }): Rbl {
  const { config, clock, log, randomToken } = needs

  async function askNode(node: ProbeNodeSetting, lookup: RblRequest): Promise<RblAnswer | null> {
    const unsigned: WireRequest = {
      method: "POST",
      url: new URL(RBL_PATH, node.url).href,
      headers: new Headers({ "content-type": "application/json" }),
      body: Uint8Array.from(new TextEncoder().encode(JSON.stringify(lookup))),
    }
    const nowSeconds = () => Math.floor(clock.now() / 1_000)
    const headers = await signRequest(unsigned, config.signingKey, { nowSeconds: nowSeconds(), nonce: randomToken() })
    const request = { ...unsigned, headers }
    const response = await fetch(request.url, {
      method: request.method,
      headers,
      body: request.body,
      redirect: "manual",
      signal: AbortSignal.timeout(lookup.deadlineMs + ANSWER_GRACE_MS),
    })
    const body = Uint8Array.from(new Uint8Array(await response.arrayBuffer()))
    const wire = { status: response.status, headers: new Headers(response.headers), body }
    const verified = await verifyResponse(wire, request, node.publicKeys, nowSeconds())
    if (!verified.ok || response.status !== 200) {
      log("rbl_refused", { node: node.id, status: response.status, reason: verified.ok ? null : verified.reason })
      return null
    }
    const answer = RblAnswer.safeParse(JSON.parse(new TextDecoder().decode(body)))
    return answer.success && answer.data.requestId === lookup.requestId ? answer.data : null
  }

  return {
    async ask(lookup) {
      for (const node of config.probeNodes) {
        try {
          const answer = await askNode(node, { ...lookup, requestId: randomToken() })
          if (answer) return answer
        } catch (error) {
          log("rbl_unreachable", { node: node.id, error: (error as Error).message })
        }
      }
      return null
    },
  }
}
