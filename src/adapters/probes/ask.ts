import { openLine } from "../../../schema/wire/line.ts"
import { PROBE_PATH, ProbeLine, type ProbeRequest, type RecipientLine } from "../../../schema/wire/probe.ts"
import { signRequest, verifyResponse, type WireRequest } from "../../../schema/wire/signature.ts"
import type { Config, ProbeNodeSetting } from "../../env.ts"
import type { Clock, Log } from "../platform.ts"
import { readLines } from "./read-lines.ts"

export type ProbeAnswer =
  | { kind: "lines"; nodeId: string; region: string; lines: AsyncIterable<RecipientLine> }
  | { kind: "unavailable" }

export interface Probes {
  /** Nodes that may be asked. */
  readonly count: number
  /** Asks the first node that answers, in the order given by the fleet, leaving out `avoidNodes`. */
  ask(request: ProbeRequest, avoidNodes: readonly string[]): Promise<ProbeAnswer>
}

/** Time over the probe's own deadline that a node gets to send its last lines, in ms. */
const ANSWER_GRACE_MS = 2_000

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
      log("probe_node_refused", {
        node: node.id,
        status: response.status,
        reason: verified.ok ? null : verified.reason,
      })
      await response.body?.cancel()
      return { kind: "unavailable" }
    }
    return { kind: "lines", nodeId: node.id, region: node.region, lines: recipientLines(response.body, nonce, node) }
  }

  async function* recipientLines(body: ReadableStream<Uint8Array>, nonce: string, node: ProbeNodeSetting) {
    let seq = 0
    for await (const text of readLines(body)) {
      const payload = await openLine(text, seq++, nonce, node.publicKeys)
      const line = payload === null ? null : ProbeLine.safeParse(JSON.parse(payload))
      if (!line?.success) {
        log("probe_line_dropped", { node: node.id, seq: seq - 1, signed: payload !== null })
        continue
      }
      if (line.data.type === "end") return
      yield line.data
    }
    log("probe_stream_cut", { node: node.id, lines: seq })
  }

  return {
    count: config.probeNodes.length,

    async ask(request, avoidNodes) {
      for (const node of config.probeNodes) {
        if (avoidNodes.includes(node.id)) continue
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
