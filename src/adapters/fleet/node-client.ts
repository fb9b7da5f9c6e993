import { z } from "zod"
import { REFUSALS, type Refusal } from "../../../schema/vocabulary.ts"
import { HEALTH_LIMITS, NodeHealth } from "../../../schema/wire/health.ts"
import { parseJson } from "../../../schema/wire/json.ts"
import type { TrustedKey } from "../../../schema/wire/keys.ts"
import { HEALTH_PATH, PROBE_PATH, type ProbeRequest, type RecipientLine } from "../../../schema/wire/probe.ts"
import { RBL_PATH, RblAnswer, type RblRequest } from "../../../schema/wire/rbl.ts"
import { signRequest, verifyResponse, type WireRequest } from "../../../schema/wire/signature.ts"
import { isExempt } from "../../domain/webhooks/target-url.ts"
import type { Config } from "../../env.ts"
import { readWhole } from "../external-calls.ts"
import type { Fetch, OutboundFetch } from "../outbound.ts"
import type { Platform } from "../platform.ts"
import { type ProtocolViolation, recipientLines } from "./recipient-lines.ts"

/** A node's URL and its public keys. */
export interface NodeAddress {
  readonly id: string
  readonly url: string
  readonly publicKeys: readonly TrustedKey[]
}

export type HealthCheck =
  | { readonly kind: "answered"; readonly health: NodeHealth; readonly rttMs: number; readonly skewMs: number }
  /** No valid signature of a trusted key. The clock skew is from the unsigned Date header, when there is one. */
  | {
      readonly kind: "refused"
      readonly skewMs: number | null
      readonly status: number
      readonly why: Refusal | "unknown_node_key" | "not_a_node"
    }
  | { readonly kind: "silent"; readonly error: string }

/** Signed requests to one node. */
export type NodeClient = ReturnType<typeof createNodeClient>

export interface ProbeEvents {
  readonly onViolation: (violation: ProtocolViolation) => void
  readonly onCut: () => void
  readonly signal: AbortSignal
}

interface NodeClientDeps extends Pick<Platform, "clock" | "log" | "randomToken"> {
  readonly config: Pick<Config, "signingKey">
  readonly fetch: Fetch
}

/** Time in ms after the probe's own deadline in which a node may send its last lines. */
const ANSWER_GRACE_MS = 2_000
/** A live node sends its headers before it connects to any host. */
const HEADERS_MS = 5_000
const HEALTH_MS = 5_000
const RBL_GRACE_MS = 1_000
/** More than the longest answer that RBL_LIMITS allow. */
export const RBL_MAX_BYTES = 1_048_576
/** The Date header has a resolution of whole seconds. */
const HALF_SECOND_MS = 500

export function createNodeClient({ config, clock, log, randomToken, fetch }: NodeClientDeps) {
  const nowSeconds = () => Math.floor(clock.now() / 1_000)

  async function sign(node: NodeAddress, { method, path, body = "" }: { method: string; path: string; body?: string }) {
    const unsigned: WireRequest = {
      method,
      url: new URL(path, node.url).href,
      headers: new Headers({ "content-type": "application/json" }),
      body: new Uint8Array(new TextEncoder().encode(body)),
    }
    const nonce = randomToken()
    const headers = await signRequest(unsigned, config.signingKey, { nowSeconds: nowSeconds(), nonce })
    return { request: { ...unsigned, headers }, nonce }
  }

  function send({ method, url, headers, body }: WireRequest, signal: AbortSignal): Promise<Response> {
    return fetch(url, { method, headers, redirect: "manual", signal, ...(method === "GET" ? {} : { body }) })
  }

  /** A body over the limit is not read, so it has no digest to compare. */
  async function verifyWhole(
    { status, headers }: Response,
    body: Uint8Array<ArrayBuffer> | null,
    { request, node }: { request: WireRequest; node: NodeAddress },
  ): ReturnType<typeof verifyResponse> {
    if (!body) return { ok: false, reason: "the answer is too long" }
    return verifyResponse({ status, headers: new Headers(headers), body }, request, node.publicKeys, nowSeconds())
  }

  return {
    /** Yields recipient lines; null when the node refused the request. @throws Error when it is unreachable */
    async probe(
      node: NodeAddress,
      probe: ProbeRequest,
      { signal, onViolation, onCut }: ProbeEvents,
    ): Promise<AsyncIterable<RecipientLine> | null> {
      const { request, nonce } = await sign(node, { method: "POST", path: PROBE_PATH, body: JSON.stringify(probe) })
      const noHeaders = new AbortController()
      const timer = setTimeout(() => noHeaders.abort(new Error("no headers in time")), HEADERS_MS)
      const deadline = AbortSignal.timeout(probe.deadlineMs + ANSWER_GRACE_MS)
      const sent = send(request, AbortSignal.any([signal, deadline, noHeaders.signal]))
      const response = await sent.finally(() => clearTimeout(timer))
      const { status, headers, body } = response
      async function isSignedHead(): Promise<boolean> {
        const wire = { status, headers: new Headers(headers), body: null }
        const verified = await verifyResponse(wire, request, node.publicKeys, nowSeconds())
        const reason = verified.ok ? null : verified.reason
        if (reason !== null || status !== 200) log("probe_node_refused", { node: node.id, status, reason })
        return verified.ok
      }
      // Each line has a signature for this request. Verifying the head too would double the cost of a short answer.
      if (status !== 200 || !body) {
        await isSignedHead()
        await body?.cancel()
        return null
      }
      const requested = new Set(probe.groups.flatMap(({ recipients }) => recipients.map(({ index }) => index)))
      return recipientLines(body, { nonce, keys: node.publicKeys, requested, isSignedHead, onViolation, onCut })
    },

    /** Never throws. */
    async health(node: NodeAddress): Promise<HealthCheck> {
      try {
        const { request } = await sign(node, { method: "GET", path: HEALTH_PATH })
        const startedAt = clock.now()
        const response = await send(request, AbortSignal.timeout(HEALTH_MS))
        const body = await readWhole(response, HEALTH_LIMITS.bytes)
        const now = clock.now()
        const verified = await verifyWhole(response, body, { request, node })
        const health = body && verified.ok && response.status === 200 ? NodeHealth.safeParse(jsonIn(body)).data : null
        if (!health) {
          const { status, headers } = response
          const { why, serverTime } = refusalIn(status, { body, isSigned: verified.ok })
          const skewMs = serverTime === null ? skewByDate(headers.get("date"), now) : serverTime - (startedAt + now) / 2
          return { kind: "refused", skewMs, status, why }
        }
        return { kind: "answered", health, rttMs: now - startedAt, skewMs: health.serverTime - (startedAt + now) / 2 }
      } catch (error) {
        return { kind: "silent", error: (error as Error).message }
      }
    },

    /** Null when the node gave no valid answer. Never throws. */
    async rbl(node: NodeAddress, lookup: RblRequest): Promise<RblAnswer | null> {
      try {
        const { request } = await sign(node, { method: "POST", path: RBL_PATH, body: JSON.stringify(lookup) })
        const response = await send(request, AbortSignal.timeout(lookup.deadlineMs + RBL_GRACE_MS))
        const body = await readWhole(response, RBL_MAX_BYTES)
        const verified = await verifyWhole(response, body, { request, node })
        if (!body || !verified.ok || response.status !== 200) {
          log("rbl_refused", { node: node.id, status: response.status, reason: verified.ok ? null : verified.reason })
          return null
        }
        const answer = RblAnswer.safeParse(jsonIn(body)).data
        return answer?.requestId === lookup.requestId ? answer : null
      } catch (error) {
        log("rbl_unreachable", { node: node.id, error: (error as Error).message })
        return null
      }
    },
  }
}

function jsonIn(body: Uint8Array): unknown {
  return parseJson(new TextDecoder().decode(body))
}

/** What a node answers with 401. Nodes before 0.2 send the detail only. */
const RefusedAnswer = z.object({
  code: z.enum(REFUSALS).catch("refused"),
  serverTime: z.number().nullable().catch(null),
  detail: z.string(),
})

/** Reads an answer that is no health report. The node signs no refusal, so it is only a hint for the operator. */
function refusalIn(
  status: number,
  { body, isSigned }: { body: Uint8Array | null; isSigned: boolean },
): { why: Extract<HealthCheck, { kind: "refused" }>["why"]; serverTime: number | null } {
  const answer = body ? jsonIn(body) : null
  const refused = status === 401 ? RefusedAnswer.safeParse(answer).data : null
  if (refused) return { why: refused.code, serverTime: refused.serverTime }
  const isForeign = status === 200 && !isSigned && NodeHealth.safeParse(answer).success
  return { why: isForeign ? "unknown_node_key" : "not_a_node", serverTime: null }
}

function skewByDate(date: string | null, now: number): number | null {
  const at = date === null ? Number.NaN : Date.parse(date)
  return Number.isNaN(at) ? null : at + HALF_SECOND_MS - now
}

/** Picks the fetch function for a node. Nodes that the operator did not configure must be at public addresses. */
export function nodeFetch(
  { probeNodes, fleetRules }: Pick<Config, "probeNodes" | "fleetRules">,
  { fetch, fetchPublic }: OutboundFetch,
): Fetch {
  const named = new Set(probeNodes.map(({ url }) => new URL(url).origin))
  return (text, init) => {
    const url = new URL(text)
    return named.has(url.origin) || isExempt(url, fleetRules) ? fetch(text, init) : fetchPublic(text, init)
  }
}
