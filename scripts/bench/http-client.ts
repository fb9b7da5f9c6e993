import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

export interface Call {
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
  async call({ method, path, headers, body }: Call): Promise<Answer> {
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

/** One kind of call in the mix. */
export interface Traffic {
  readonly name: string
  /** Relative frequency; the sum of all weights is arbitrary. */
  readonly weight: number
  /** @returns the HTTP status */
  readonly call: () => Promise<number>
  readonly expect: readonly number[]
}

/** Results of the calls of one kind. */
export interface Outcome {
  readonly name: string
  readonly ms: number[]
  /** Unexpected answers by status; 0 means no answer. */
  readonly errors: Map<number, number>
}

export class Mix {
  readonly #kinds: readonly Traffic[]
  readonly #total: number

  constructor(kinds: readonly Traffic[]) {
    this.#kinds = kinds
    this.#total = kinds.reduce((sum, { weight }) => sum + weight, 0)
  }

  newOutcomes(): Map<string, Outcome> {
    return new Map(this.#kinds.map(({ name }) => [name, { name, ms: [], errors: new Map() }]))
  }

  /** Calls as fast as `width` callers can, each one call at a time. @returns calls per second */
  async saturate(width: number, durationMs: number): Promise<number> {
    const outcomes = this.newOutcomes()
    const endsAt = performance.now() + durationMs
    const work = async () => {
      while (performance.now() < endsAt) await this.#one(this.#draw(), outcomes)
    }
    await Promise.all(Array.from({ length: width }, work))
    const calls = [...outcomes.values()].reduce((sum, { ms }) => sum + ms.length, 0)
    return calls / (durationMs / 1_000)
  }

  /** Calls at a fixed rate, even when answers are late. As for real callers, waiting counts as time of the call. */
  async atRate(perSecond: number, durationMs: number, only?: string): Promise<Map<string, Outcome>> {
    const outcomes = this.newOutcomes()
    const startedAt = performance.now()
    const pending = new Set<Promise<void>>()
    for (let sent = 0; ; sent++) {
      const dueAt = startedAt + (sent * 1_000) / perSecond
      if (dueAt > startedAt + durationMs) break
      const wait = dueAt - performance.now()
      if (wait > 0) await sleep(wait)
      const kind = only ? this.#kinds.find(({ name }) => name === only)! : this.#draw()
      const call = this.#one(kind, outcomes, dueAt).finally(() => pending.delete(call))
      pending.add(call)
    }
    await Promise.all(pending)
    return outcomes
  }

  #draw(): Traffic {
    let at = Math.random() * this.#total
    for (const kind of this.#kinds) {
      at -= kind.weight
      if (at < 0) return kind
    }
    return this.#kinds[0]!
  }

  async #one(kind: Traffic, outcomes: Map<string, Outcome>, since = performance.now()): Promise<void> {
    const { ms, errors } = outcomes.get(kind.name)!
    const status = await kind.call().catch(() => 0)
    ms.push(performance.now() - since)
    if (!kind.expect.includes(status)) errors.set(status, (errors.get(status) ?? 0) + 1)
  }
}

/** The value below which the given share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Makes calls with a number of callers, each one call at a time. `n` counts the calls from 0. */
export async function inParallel(callers: number, calls: number, call: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const caller = async () => {
    while (next < calls) await call(next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}
