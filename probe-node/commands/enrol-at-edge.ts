import { isLoopbackHost } from "../../schema/wire/addresses.ts"

/** Body of `POST /fleet/nodes/enrol` at the edge. */
export interface Enrolment {
  /** Created by the edge's operator. Valid for a short time and one enrolment. */
  readonly token: string
  readonly id: string
  readonly region: string
  /** Origin at which the edge calls the node. */
  readonly url: string
  /** `<keyid>:<base64url>`, Ed25519. */
  readonly public_key: string
  readonly source_ips: readonly string[]
  /** Concurrent SMTP sessions. */
  readonly capacity: number
  readonly version: string
}

export type Enrolled =
  /** `edgeKeys` are the edge's signing keys, if its answer has them. */
  { readonly ok: true; readonly edgeKeys: readonly string[] } | { readonly ok: false; readonly problem: string }

const WAIT_MS = 20_000

const BAD_TOKEN = "the token is invalid, expired or used: request a new one"
const ADVICE: Readonly<Record<number, string>> = {
  401: BAD_TOKEN,
  403: BAD_TOKEN,
  404: "no node registry at this URL: set --edge to the origin of the edge's API",
  409: "the id is taken: choose another with --id",
}

/**
 * Registers this node with the edge, through HTTPS_PROXY unless NO_PROXY excludes it. Never throws: an unreachable edge is
 * a result.
 */
export async function enrolAtEdge(edge: string, enrolment: Enrolment): Promise<Enrolled> {
  const url = new URL("/fleet/nodes/enrol", edge)
  if (url.protocol !== "https:" && !isLoopbackHost(url.hostname))
    return { ok: false, problem: "--edge must be an https:// URL, because the token is a secret" }
  // Imported here, so that a serving node does not load undici: it costs megabytes of memory.
  const { EnvHttpProxyAgent, fetch } = await import("undici")
  const dispatcher = new EnvHttpProxyAgent({ connectTimeout: WAIT_MS })
  try {
    const response = await fetch(url, {
      dispatcher,
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(enrolment),
      redirect: "error",
      signal: AbortSignal.timeout(WAIT_MS),
    })
    const answer = await response.json().catch(() => null)
    if (response.ok) return { ok: true, edgeKeys: keysIn(answer) }
    return { ok: false, problem: `the edge answered ${response.status}${reason(response.status, answer)}` }
  } catch (error) {
    const { message, cause } = error as Error
    return {
      ok: false,
      problem: `cannot reach ${url.origin}: ${cause instanceof Error ? cause.message : message}`,
    }
  } finally {
    await dispatcher.close()
  }
}

function keysIn(answer: unknown): string[] {
  const { edge_public_keys: keys } = (answer ?? {}) as { edge_public_keys?: unknown }
  return Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : []
}

function reason(status: number, answer: unknown): string {
  const { detail } = (answer ?? {}) as { detail?: unknown }
  const text = detail === undefined ? "" : ` (${typeof detail === "string" ? detail : JSON.stringify(detail)})`
  return `${text.slice(0, 300)}${ADVICE[status] ? `: ${ADVICE[status]}` : ""}`
}
