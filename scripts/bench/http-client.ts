import { Agent, type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

interface Call {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * Calls the service over keep-alive connections with `node:http`. It needs a quarter of the CPU of `fetch`: the load
 * generator shares the machine with the service.
 */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #base: string

  constructor(base: string) {
    this.#base = base
  }

  /** @throws Error when there is no complete answer */
  async call({ method, path, headers, body }: Call) {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(this.#base + path, { method, headers, agent: this.#agent }, resolve)
      outgoing.once("error", reject)
      outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    })
    return { status: response.statusCode!, body: await text(response), headers: response.headers }
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** The value below which the given share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export function medianOf<T>(list: readonly T[], of: (one: T) => number): number {
  return percentile(list.map(of), 0.5)
}

/** How many answers have each status. */
export function countByStatus(statuses: readonly number[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Makes calls with a number of callers, each one call at a time. `n` counts the calls from 0. */
export async function inParallel(callers: number, calls: number, call: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const caller = async () => {
    while (next < calls) await call(next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

export interface TimedCall {
  /** 0 without an answer. */
  readonly status: number
  /** From the time when the call was due. */
  readonly ms: number
}

/** Calls at a fixed rate, even when answers are late. As for real callers, waiting counts as time of the call. */
export async function callAtRate(
  perSecond: number,
  durationMs: number,
  call: () => Promise<number>,
): Promise<TimedCall[]> {
  const startedAt = performance.now()
  const pending: Promise<TimedCall>[] = []
  for (
    let dueAt = startedAt;
    dueAt <= startedAt + durationMs;
    dueAt = startedAt + (pending.length * 1_000) / perSecond
  ) {
    const wait = dueAt - performance.now()
    if (wait > 0) await sleep(wait)
    const since = dueAt
    const status = call().catch(() => 0)
    pending.push(status.then((found) => ({ status: found, ms: performance.now() - since })))
  }
  return Promise.all(pending)
}
