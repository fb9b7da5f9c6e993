import { PROBE_PATH, type ProbeRequest, type RecipientLine } from "../../../schema/wire/probe.ts"
import { signRequest, verifyResponse, type WireRequest } from "../../../schema/wire/signature.ts"
import type { Config, ProbeNodeSetting } from "../../env.ts"
import type { Clock, Log } from "../platform.ts"
import { Disgrace } from "./disgrace.ts"
import { recipientLines } from "./recipient-lines.ts"

export type ProbeAnswer =
  | { kind: "lines"; nodeId: string; region: string; lines: AsyncIterable<RecipientLine> }
  | { kind: "unavailable" }

export interface AskOptions {
  readonly avoidNodes?: readonly string[]
  /** The node to ask first: it knows the recipients already. */
  readonly preferNode?: string | null
}

export interface Probes {
  /** Nodes that may be asked. */
  readonly count: number
  /** Asks the first node that answers; lines arrive as the node learns them, each recipient at most once. */
  ask(request: ProbeRequest, options?: AskOptions): Promise<ProbeAnswer>
}

/** Time over the probe's own deadline that a node gets to send its last lines, in ms. */
const ANSWER_GRACE_MS = 2_000

/** Plain values, so they may outlive a request: which nodes this isolate has caught lying. */
const disgrace = new Disgrace()

export function createProbes(needs: { config: Config; clock: Clock; log: Log; randomToken: () => string }): Probes {
  const { config, clock, log } = needs

  async function askNode(node: ProbeNodeSetting, probe: ProbeRequest): Promise<ProbeAnswer> {
    const nonce = needs.randomToken()
    const unsigned: WireRequest = {
      method: "POST",
      url: new URL(PROBE_PATH, node.url).href,
      headers: new Headers({ "content-type": "application/json" }),
      body: Uint8Array.from(new TextEncoder().encode(JSON.stringify(probe))),
    }
    const headers = await signRequest(unsigned, config.signingKey, { nowSeconds: seconds(clock), nonce })
    const request = { ...unsigned, headers }
    const response = await fetch(request.url, {
      method: request.method,
      headers,
      body: request.body,
      redirect: "manual",
      signal: AbortSignal.timeout(probe.deadlineMs + ANSWER_GRACE_MS),
    })
    const wire = { status: response.status, headers: new Headers(response.headers), body: null }
    const verified = await verifyResponse(wire, request, node.publicKeys, seconds(clock))
    if (!verified.ok || response.status !== 200 || !response.body) {
      const reason = verified.ok ? null : verified.reason
      log("probe_node_refused", { node: node.id, status: response.status, reason })
      await response.body?.cancel()
      return { kind: "unavailable" }
    }
    const lines = recipientLines(response.body, {
      nonce,
      keys: node.publicKeys,
      asked: new Set(probe.groups.flatMap(({ recipients }) => recipients.map(({ index }) => index))),
      onLie(lie) {
        disgrace.note(node.id, clock.now())
        log("probe_node_lied", { node: node.id, lie })
      },
      onCut: (lines) => log("probe_stream_cut", { node: node.id, lines }),
    })
    return { kind: "lines", nodeId: node.id, region: node.region, lines }
  }

  return {
    count: config.probeNodes.length,

    async ask(request, { avoidNodes = [], preferNode = null } = {}) {
      const usable = config.probeNodes.filter(({ id }) => !avoidNodes.includes(id))
      const preferred = usable.toSorted((a, b) => Number(b.id === preferNode) - Number(a.id === preferNode))
      for (const node of disgrace.last(preferred, clock.now())) {
        try {
          const answer = await askNode(node, request)
          if (answer.kind === "lines") return answer
        } catch (error) {
          log("probe_node_unreachable", { node: node.id, error: (error as Error).message })
        }
      }
      return { kind: "unavailable" }
    },
  }
}

function seconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000)
}
