import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http"
import { constants, setPriority } from "node:os"
import { json } from "node:stream/consumers"
import { countByStatus } from "../../scripts/bench/http-client.ts"
import { ATTACKS, type AttackRequest, CONNECTIONS, CROWD, type Loot, SOURCES } from "./attacks.ts"
import { serve } from "./called-process.ts"

/**
 * A hang guard: so many turns of a timer without the end of a request. The service ends a stalled connection within 10 s,
 * and a refused one within 5 s. A turn that comes late on a slow machine counts once.
 */
const GUARD = { turns: 300, everyMs: 100 }
const KEYS = 5

/** How the requests of an attack ended. */
export interface Ended {
  /** By status. */
  readonly answers: Readonly<Record<string, number>>
  /** Requests whose connection the service closed or refused without an answer. */
  readonly closed: number
  /** Requests with neither an answer nor a close until the guard. */
  readonly unanswered: number
  /** Connections with a stalled request that were still open at the guard, answered or not. */
  readonly leftOpen: number
}

interface Target {
  readonly url: string
  readonly loot: Loot
}

const methods = { createKeys, attack }
export type AttackerMethods = typeof methods
// An attack comes from other machines: its own work must not take the processor from the service. Its requests queue there.
setPriority(constants.priority.PRIORITY_LOW)
serve(methods)

/** Keys of new accounts, created without a key, each from another source address. */
async function createKeys(url: string): Promise<string[]> {
  const created = SOURCES.slice(0, KEYS).map(async (localAddress, n) => {
    const body = JSON.stringify({ name: "attack", owner_email: `attacker${n}@mailbox.test` })
    const headers = { "content-type": "application/json" }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${url}/keys`, { method: "POST", headers, localAddress }, resolve).once("error", reject).end(body)
    })
    const { api_key } = (await json(response)) as { api_key?: string }
    if (!api_key) throw new Error(`no key: ${response.statusCode}`)
    return api_key
  })
  return Promise.all(created)
}

/** Opens all connections of an attack at once. @param name of the attack @returns when each request has ended */
async function attack({ name, url, loot }: Target & { readonly name: string }): Promise<Ended> {
  const { requests } = [CROWD, ...ATTACKS].find((one) => one.name === name)!
  const lists = Array.from({ length: CONNECTIONS }, (_, n) => requests(n, loot))
  const guard = new AbortController()
  let turns = 0
  const timer = setInterval(() => ++turns === GUARD.turns && guard.abort(), GUARD.everyMs)
  const onEnd = () => {
    turns = 0
  }
  const ended = await Promise.all(
    lists.map((list, n) => {
      const localAddress = SOURCES[n % SOURCES.length]!
      return sendAll(list, { url, localAddress, guard: guard.signal, onEnd })
    }),
  )
  clearInterval(timer)
  return summary(ended.flat())
}

interface Connection {
  readonly url: string
  readonly localAddress: string
  readonly guard: AbortSignal
  /** Called after each request. */
  readonly onEnd: () => void
}

/** The end of one request. */
interface End {
  /** Null without an answer. */
  readonly status: number | null
  /** Whether the guard ended it. */
  readonly isGuarded: boolean
}

/** Sends requests over one connection. A connection that the service closes is opened again for the next. */
async function sendAll(
  list: readonly AttackRequest[],
  { url, localAddress, guard, onEnd }: Connection,
): Promise<End[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress })
  const ends: End[] = []
  try {
    for (const one of list) {
      ends.push(await send(one, { url, agent, guard }))
      onEnd()
    }
  } finally {
    agent.destroy()
  }
  return ends
}

/** @returns after the answer, or for a request that stalls after the close of its connection */
function send(
  { method, path, headers, body = "", missing = 0 }: AttackRequest,
  { url, agent, guard }: { readonly url: string; readonly agent: Agent; readonly guard: AbortSignal },
): Promise<End> {
  if (guard.aborted) return Promise.resolve({ status: null, isGuarded: true })
  return new Promise((resolve) => {
    let status: number | null = null
    const end = (isGuarded: boolean) => {
      guard.removeEventListener("abort", onGuard)
      resolve({ status, isGuarded })
    }
    const length = method === "POST" ? { "content-length": String(Buffer.byteLength(body) + missing) } : {}
    const outgoing: ClientRequest = request(`${url}${path}`, { method, agent, headers: { ...headers, ...length } })
    function onGuard(): void {
      end(true)
      outgoing.destroy()
    }
    guard.addEventListener("abort", onGuard)
    outgoing.once("response", (response) => {
      status = response.statusCode!
      response.resume()
    })
    // Also after an error: then no answer follows.
    outgoing.on("error", () => undefined).once("close", () => end(false))
    if (missing === 0) outgoing.end(body)
    else outgoing.write(body)
  })
}

function summary(ends: readonly End[]): Ended {
  const answers = countByStatus(ends.flatMap(({ status }) => status ?? []))
  const count = (test: (end: End) => boolean) => ends.filter(test).length
  return {
    answers,
    closed: count(({ status, isGuarded }) => status === null && !isGuarded),
    unanswered: count(({ status, isGuarded }) => status === null && isGuarded),
    leftOpen: count(({ isGuarded }) => isGuarded),
  }
}
