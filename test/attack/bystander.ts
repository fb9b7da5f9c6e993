import { Agent, type IncomingMessage, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { callAtRate, countByStatus, inParallel, percentile, type TimedCall } from "../../scripts/bench/http-client.ts"
import { serve } from "./called-process.ts"

/** Calls a second. */
const RATE = 50
const WARM_UP = { callers: 16, calls: 5_000 }
/** Calls of one slice share connections. A load generator keeps its rate by the clock. */
const SLICE_MS = 1_000
/**
 * Calls of one slice have one address. On a slow machine hundreds of calls wait at a time, and the service accepts 256
 * connections of one address.
 */
const addressOf = (slice: number) => `127.0.0.${1 + (slice % 250)}`

export interface Account {
  readonly url: string
  readonly key: string
  readonly email: string
}

/** The calls of another account. */
export interface Calls {
  readonly sent: number
  /** By status, with 0 for a connection that closed without an answer. */
  readonly answers: Readonly<Record<string, number>>
  readonly p95Ms: number
}

let isStopping = false
let running: Promise<Calls> | null = null

const methods = {
  /** Calls as fast as a few callers can, so that the service has loaded its code and filled its caches. */
  async warmUp(account: Account): Promise<void> {
    const agent = new Agent({ keepAlive: true })
    await inParallel(WARM_UP.callers, WARM_UP.calls, async () => void (await cachedResult(agent, account)))
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

/** Waits as long as the service does. @returns the status. @throws Error without a complete answer */
function cachedResult(agent: Agent, { url, key, email }: Account): Promise<number> {
  return new Promise((resolve, reject) => {
    const read = (response: IncomingMessage) => {
      response
        .on("error", reject)
        .once("end", () => resolve(response.statusCode!))
        .resume()
    }
    const headers = { "x-api-key": key }
    request(`${url}/validate/fast?email=${email}`, { agent, headers }, read).on("error", reject).end()
  })
}

/** Each slice starts on time, also while answers of an earlier one are late, and over new connections. */
async function measure(account: Account, slices: number): Promise<Calls> {
  const pending: Promise<readonly TimedCall[]>[] = []
  for (let slice = 0; slice < slices && !isStopping; slice++) {
    pending.push(callFor(SLICE_MS, account, addressOf(slice)))
    await sleep(SLICE_MS)
  }
  const all = (await Promise.all(pending)).flat()
  return {
    sent: all.length,
    answers: countByStatus(all.map(({ status }) => status)),
    p95Ms: percentile(
      all.map(({ ms }) => ms),
      0.95,
    ),
  }
}

async function callFor(durationMs: number, account: Account, localAddress: string): Promise<readonly TimedCall[]> {
  const agent = new Agent({ keepAlive: true, localAddress })
  const calls = await callAtRate(RATE, durationMs, () => cachedResult(agent, account))
  agent.destroy()
  return calls
}
