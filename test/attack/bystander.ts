import { Agent, type IncomingMessage, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { Mix, type Outcome, percentile } from "../../scripts/bench/http-client.ts"
import { serve } from "./called-process.ts"

/** Calls a second. */
const RATE = 50
const WARM_UP = { callers: 16, ms: 3_000 }
/** Calls of one slice share connections. A load generator keeps its rate by the clock. */
const SLICE_MS = 1_000
/** A call without an answer by then has failed. */
const GUARD_MS = 15_000
const NAME = "cached result"

export interface Account {
  readonly url: string
  readonly key: string
  readonly email: string
}

/** The calls of another account. */
export interface Calls {
  readonly sent: number
  /** Answered with 200 and the result. */
  readonly answered: number
  readonly p95Ms: number
}

let isStopping = false
let running: Promise<Calls> | null = null

const methods = {
  /** Calls as fast as a few callers can, so that the service has loaded its code and filled its caches. */
  async warmUp(account: Account): Promise<void> {
    const agent = new Agent({ keepAlive: true })
    await mixOf(agent, account).saturate(WARM_UP.callers, WARM_UP.ms)
    agent.destroy()
  },
  /** Calls at a steady rate for a number of seconds. */
  quiet: ({ seconds, ...account }: Account & { readonly seconds: number }) => measure(account, seconds),
  /** Calls at a steady rate until `stop`. */
  async start(account: Account): Promise<void> {
    running = measure(account, Number.POSITIVE_INFINITY)
    running.catch(() => undefined)
  },
  async stop(_: null): Promise<Calls> {
    isStopping = true
    return running!.finally(() => {
      isStopping = false
    })
  },
}
export type BystanderMethods = typeof methods
serve(methods)

function mixOf(agent: Agent, account: Account): Mix {
  return new Mix([{ name: NAME, weight: 1, expect: [200], call: () => cachedResult(agent, account) }])
}

/** @returns the status. @throws Error without a complete answer */
function cachedResult(agent: Agent, { url, key, email }: Account): Promise<number> {
  const signal = AbortSignal.timeout(GUARD_MS)
  return new Promise((resolve, reject) => {
    const read = (response: IncomingMessage) => {
      response
        .on("error", reject)
        .once("end", () => resolve(response.statusCode!))
        .resume()
    }
    const headers = { "x-api-key": key }
    request(`${url}/validate/fast?email=${email}`, { agent, headers, signal }, read).on("error", reject).end()
  })
}

/** Each slice starts on time, also while answers of an earlier one are late, and over new connections. */
async function measure(account: Account, slices: number): Promise<Calls> {
  const pending: Promise<Outcome>[] = []
  for (let slice = 0; slice < slices && !isStopping; slice++) {
    pending.push(callFor(SLICE_MS, account))
    await sleep(SLICE_MS)
  }
  const outcomes = await Promise.all(pending)
  const ms = outcomes.flatMap((one) => one.ms)
  const errors = outcomes.flatMap((one) => [...one.errors.values()]).reduce((sum, n) => sum + n, 0)
  return {
    sent: ms.length,
    answered: ms.length - errors,
    p95Ms: percentile(ms, 0.95),
  }
}

async function callFor(durationMs: number, account: Account): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true })
  const outcomes = await mixOf(agent, account).atRate(RATE, durationMs)
  agent.destroy()
  return outcomes.get(NAME)!
}
