import { type Client, createClient, type InStatement, LibsqlError } from "@libsql/client/web"
import { drizzle } from "drizzle-orm/libsql/web"
import { inTime, withDeadline } from "../../concurrency/deadlines.ts"
import { FairLimiter } from "../../concurrency/fair-limiter.ts"
import { AppError, TokenRefused } from "../../errors.ts"
import { type Clock, systemClock } from "../platform.ts"

/** The caller of a database call gets an error after this time. */
const TIMEOUT_MS = 3_000
/**
 * A call without an answer ends after this time. Until then it counts as in flight, because the server still works on it:
 * sqld ends a transaction after 5 s, and does not notice that a client is gone.
 */
const END_MS = 15_000

/** Reads in flight of all requests of this isolate. sqld opens a connection for each. */
const READS = new FairLimiter({ width: 16, leaseMs: END_MS + 1_000 })
/**
 * Writes in flight. SQLite runs one at a time, and more only wait in sqld. There a waiting write that fails as busy may
 * stop all others for good (docs/decisions/edge.md).
 */
const WRITES = new FairLimiter({ width: 1, leaseMs: END_MS + 1_000 })
/** The fastest answer of this isolate so far, in ms: the way to the database and back. */
let fastestMs = Number.POSITIVE_INFINITY

export type Database = ReturnType<typeof openDatabase>

type Fetching = typeof fetch

export interface DatabaseOptions {
  readonly fetch?: Fetching
  /** Wraps each round trip, for example to trace it. */
  readonly around?: <T>(roundTrip: () => Promise<T>) => Promise<T>
  /** The turn of the request when it makes a call. */
  readonly queueEntry?: () => QueueEntry
  /** Continues a call when its request has ended: a call that the client hangs up on goes on in the server. */
  readonly background?: (work: Promise<unknown>) => void
  readonly reads?: FairLimiter
  readonly writes?: FairLimiter
  readonly clock?: Clock
  readonly random?: () => number
}

interface Address {
  readonly url: string
  readonly authToken: string | undefined
  /** Writes in flight of this isolate, by default as many as keep a database at its distance busy. */
  readonly writes?: number | undefined
}

/** Opens a database handle for one request. At module scope its queue would hang the second request. */
export function openDatabase(
  address: Address,
  {
    fetch = globalThis.fetch,
    around = (roundTrip) => roundTrip(),
    queueEntry = newQueueEntry,
    background = () => undefined,
    reads = READS,
    writes = WRITES,
    clock = systemClock,
    random = Math.random,
  }: DatabaseOptions = {},
) {
  const { url, authToken } = address
  WRITES.width = address.writes ?? writesAt(fastestMs)
  const fetchAround: Fetching = (input, init) => around(() => fetchWhole(fetch, input, init))
  const client = createClient({ url, ...(authToken ? { authToken } : {}), fetch: fetchAround })
  return drizzle({
    client: withQueue(client, { queueEntry, background, reads, writes, clock, random }),
    casing: "snake_case",
  })
}

/** The time that a database needs for a write, about. */
const WRITE_MS = 10
const MOST_WRITES = 16

/** How many writes keep a database busy at this distance. @param roundTripMs Infinity when it is not known yet */
export function writesAt(roundTripMs: number): number {
  return Number.isFinite(roundTripMs) ? Math.min(MOST_WRITES, 1 + Math.floor(roundTripMs / WRITE_MS)) : 1
}

function newQueueEntry(): QueueEntry {
  return { queue: UNKNOWN_QUEUE, since: Date.now(), deadlineAt: 0 }
}

type CallDeps = Required<Pick<DatabaseOptions, "queueEntry" | "background" | "reads" | "writes" | "clock" | "random">>

/**
 * The client, with each call in its turn, and repeated when the server was busy. A batch that writes takes the lock at its
 * beginning ("write"): one that reads first and then writes would fail when another write came between.
 */
function withQueue(client: Client, deps: CallDeps): Client {
  const { reads, writes } = deps
  const execute = client.execute.bind(client) as (statement: InStatement) => ReturnType<Client["execute"]>
  const batch = client.batch.bind(client)
  return Object.assign(client, {
    execute: (statement: InStatement) =>
      retryWhenBusy(deps, () => queued(deps, isRead(statement) ? reads : writes, () => execute(statement))),
    batch: ((statements) => {
      const [limiter, mode] = statements.every(isRead) ? ([reads, "deferred"] as const) : ([writes, "write"] as const)
      return retryWhenBusy(deps, () => queued(deps, limiter, () => batch(statements, mode)))
    }) satisfies Client["batch"],
  })
}

/** Whether a statement only reads. Values are not part of its text. */
function isRead(statement: InStatement | readonly [string, unknown?]): boolean {
  const first = Array.isArray(statement) ? (statement[0] as string) : (statement as InStatement)
  const text = typeof first === "string" ? first : first.sql
  return /^\s*(select|with)\b/i.test(text) && !/\b(insert|update|delete)\b/i.test(text)
}

/**
 * Calls the server when it is the request's turn. Fails with "unavailable" when the turn does not come in time, or
 * TIMEOUT_MS after it, so that an outage gives a 503 and never "not found". The call itself goes on until its answer.
 */
async function queued<T>(
  { queueEntry, background, clock }: CallDeps,
  limiter: FairLimiter,
  call: () => Promise<T>,
): Promise<T> {
  const { queue, since, deadlineAt } = queueEntry()
  const answering = (async () => {
    const request = { queue, since, deadlineAt: waitsUntil(deadlineAt, clock.now()) }
    const permit = await limiter.acquire(clock, request)
    if (!permit) throw unavailable("the result store is busy; try again shortly")
    const calling = call().finally(() => limiter.release(permit, clock.now()))
    background(calling.catch(() => undefined))
    return withDeadline(clock, calling, clock.now() + TIMEOUT_MS)
  })()
  // The platform ends the request of a client that hung up: its place must not stay in the queue.
  background(answering.catch(() => undefined))
  return (await answering) ?? Promise.reject(unavailable("the result store does not answer; try again shortly"))
}

/** Reads the whole answer: a call is in flight until its last byte. */
async function fetchWhole(fetch: Fetching, ...[input, init]: Parameters<Fetching>): Promise<Response> {
  try {
    const sentAt = Date.now()
    return await inTime(END_MS, async (signal) => {
      const response = await fetch(input, { ...init, signal })
      fastestMs = Math.min(fastestMs, Date.now() - sentAt)
      if (isServerFailure(response)) {
        await response.body?.cancel()
        throw failureOf(response)
      }
      // A second Response would cost 0.1 ms of CPU.
      const text = await response.text()
      return Object.assign(response, { text: async () => text, json: async () => JSON.parse(text) })
    })
  } catch (cause) {
    throw unavailable("the result store does not answer; try again shortly", cause)
  }
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError("unavailable", message, { cause, retryAfterSeconds: 5 })
}

/** Whether the server or its proxy failed, or refuses the token. An error in a statement arrives as 200 or another 4xx. */
function isServerFailure({ status }: Response): boolean {
  return status === 401 || status === 403 || status === 429 || status >= 500
}

function failureOf({ status }: Response): Error {
  if (status !== 401 && status !== 403) return new Error(`the store answered ${status}`)
  return new TokenRefused(`the database refuses LIBSQL_AUTH_TOKEN (HTTP ${status}): set a valid token`)
}

/** Answers of a server that has applied nothing: the lock is taken, or sqld ended the transaction after 5 s. */
const REFUSED = /^(SQLITE_(BUSY|LOCKED)|TRANSACTION_(TIMEOUT|BUSY)|STREAM_EXPIRED)/
/** The first pause, doubled each time up to the longest, in ms. The random part separates callers that collided. */
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500
/** Time for all attempts, in ms. */
const RETRY_MS = 4_000

interface RetryDeps {
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
}

/** Repeats a statement or a batch that the database refused unapplied as busy. @throws AppError unavailable */
async function retryWhenBusy<T>({ clock, random }: RetryDeps, work: () => Promise<T>): Promise<T> {
  const giveUpAt = clock.now() + RETRY_MS
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isRefused(error)) throw error
      if (clock.now() + pauseMs > giveUpAt)
        throw new AppError("unavailable", "the result store is busy; try again shortly", {
          cause: error,
          retryAfterSeconds: 2,
        })
    }
    await clock.sleep(pauseMs * (0.5 + random()))
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof LibsqlError && REFUSED.test(error.code)
}

/** The place of one request in the queue for the database. A plain value, which may cross isolates. */
export interface QueueEntry {
  /** Callers share the database equally: an account, a network, or `jobs` for work outside requests. */
  queue: string
  /** When the request began, Unix ms. Older requests of a caller are first. */
  readonly since: number
  /** The deadline of the request's answer, Unix ms. 0 without one, or when the answer does not wait for the work. */
  deadlineAt: number
}

/** The turn of queue batches and crons, which together count as one caller. */
export const JOBS_QUEUE = "jobs"
/** The turn of requests without a known caller. */
export const UNKNOWN_QUEUE = ""

/** How long a call waits for its turn without a deadline, and after it, in ms. */
const WAIT_MS = 10_000

/** Until when a call waits for its turn, Unix ms. */
function waitsUntil(deadlineAt: number, now: number): number {
  return deadlineAt > now ? deadlineAt : now + WAIT_MS
}
