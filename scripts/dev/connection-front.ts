import { once } from "node:events"
import { type AddressInfo, createServer, Socket } from "node:net"
import { type Caps, ConnectionCaps, networkName, type Reached } from "./connection-caps.ts"

interface ConnectionFrontOptions {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly caps: Caps
  /** The Unix socket of the server behind. */
  readonly socketPath: string
  /** Resolves when the server behind listens. New connections wait for it during its restart. */
  readonly ready: () => Promise<unknown>
  readonly onLog: (line: string) => void
  /** By default those of a service. */
  readonly times?: Partial<typeof TIMES>
}

/**
 * For a connection without traffic in both directions. A silent answer takes 60 s at most, and a progress stream sends
 * every 15 s. workerd ends a connection whose request head is not complete after 15 s, also between two requests.
 */
const IDLE_MS = 300_000
/** For the first bytes of a caller, as in workerd. */
const FIRST_BYTES_MS = 15_000
/** Requests that workerd answers at once, when callers have networks. It answers a stored result in half a millisecond. */
const REQUESTS_AT_ONCE = 8
/** Milliseconds. A caller that still sends after its answer is read on: a reset would destroy the answer on its way. */
const TIMES = {
  /** A request that has no answer after this time waits for a server elsewhere, and not for the processor. */
  holdMs: 12,
  /** Such a caller is cut off after a pause this long. */
  lingerPauseMs: 2_000,
  /** Such a caller is cut off after this time, also without a pause. */
  lingerMs: 30_000,
}
/** Also detects callers that disappeared without closing. */
const KEEP_ALIVE_MS = 60_000
const LOG_EVERY_MS = 60_000

/**
 * Listens for callers and passes their bytes to a server on a Unix socket. It caps the connections of each network and of
 * all, so that no caller uses up the files of the server, and starts requests in turn by network. It reads no HTTP: the
 * first bytes after an answer are a request. At most one chunk of 64 KB waits in each direction of a connection.
 * @throws Error when it cannot listen
 */
export async function startConnectionFront(options: ConnectionFrontOptions) {
  const open = new ConnectionCaps<Socket>(options.caps)
  const times = { ...TIMES, ...options.times }
  // Behind a proxy all callers are in one network, so turns would only delay them.
  const atOnce = options.caps.isProxied ? Number.POSITIVE_INFINITY : REQUESTS_AT_ONCE
  const slots = new RequestSlots(atOnce, times.holdMs)
  const report = reporter(options.onLog)
  const server = createServer({
    // A caller may end its side and wait for the answer.
    allowHalfOpen: true,
    pauseOnConnect: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  })
  server.on("connection", (client) => {
    // `close` follows each error.
    client.on("error", () => undefined)
    const decision = open.open(client, client.remoteAddress)
    if (!decision.isAccepted) {
      client.resetAndDestroy()
      return report(decision.reached)
    }
    if (decision.replaced) {
      decision.replaced.resetAndDestroy()
      report("replaced")
    }
    client.once("close", () => open.close(client))
    client.setTimeout(FIRST_BYTES_MS, () => client.resetAndDestroy())
    options.ready().then(
      () => pass(client, options.socketPath, { slots, times }),
      () => client.resetAndDestroy(),
    )
  })
  server.listen(options.port, options.host)
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    /** Accepts no more connections, and resets those that are open after `withinMs`. */
    async stop(withinMs: number): Promise<void> {
      const closed = once(server, "close")
      server.close()
      const timer = setTimeout(() => {
        for (const client of [...open.connections()]) client.resetAndDestroy()
      }, withinMs)
      await closed
      clearTimeout(timer)
    },
  }
}

interface Passing {
  readonly slots: RequestSlots
  readonly times: typeof TIMES
}

/** Passes bytes in both directions until the server behind closes. It is called at the first request. */
function pass(client: Socket, socketPath: string, { slots, times }: Passing): void {
  if (client.destroyed) return
  const network = networkName(client.remoteAddress)
  let server: Socket | undefined
  let isAnswered = true
  let releaseSlot = () => {}
  client.once("close", () => releaseSlot())
  client.on("end", () => (server ?? client).end())
  client.on("data", (chunk: Buffer) => {
    if (!isAnswered) return send(chunk)
    isAnswered = false
    client.pause()
    releaseSlot = slots.request(network, () => {
      if (client.destroyed) return
      server ??= connectUpstream()
      client.resume()
      send(chunk)
    })
  })
  client.resume()

  function connectUpstream(): Socket {
    client.setTimeout(IDLE_MS)
    const upstream = new ServerSocket().connect(socketPath)
    upstream.on("error", () => undefined)
    upstream.on("data", () => {
      isAnswered = true
      releaseSlot()
    })
    upstream.pipe(client)
    client.once("close", () => upstream.destroy())
    upstream.once("close", () => {
      releaseSlot()
      endAfterAnswer(client, times)
    })
    return upstream
  }

  function send(chunk: Buffer): void {
    if (!server || server.write(chunk)) return
    client.pause()
    server.once("drain", () => client.resume())
  }
}

/** A connection to the server. It may answer and close before it has read all: a failed write must not lose the answer. */
class ServerSocket extends Socket {
  override _write(chunk: Buffer, encoding: BufferEncoding, done: () => void): void {
    super._write(chunk, encoding, () => done())
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: () => void): void {
    super._writev!(chunks, () => done())
  }
}

/** Ends a connection whose server has closed. What the caller still sends is discarded for a while. */
function endAfterAnswer(client: Socket, { lingerMs, lingerPauseMs }: typeof TIMES): void {
  if (client.destroyed) return
  client.removeAllListeners("data")
  client.end()
  client.resume()
  const linger = () => {
    const timer = setTimeout(() => client.destroy(), lingerMs)
    client.once("close", () => clearTimeout(timer))
    client.removeAllListeners("timeout").setTimeout(lingerPauseMs, () => client.destroy())
  }
  if (client.writableFinished) linger()
  else client.once("finish", linger)
}

/** Logs how many connections were refused or replaced, at most once a minute and without addresses. */
function reporter(onLog: (line: string) => void): (what: Reached | "replaced") => void {
  const none = { perNetwork: 0, total: 0, replaced: 0 }
  const log = (event: string, facts: object) => onLog(JSON.stringify({ event, ...facts }))
  let counts = { ...none }
  let isWaiting = false
  function write(): void {
    const { perNetwork, total, replaced } = counts
    counts = { ...none }
    isWaiting = perNetwork + total + replaced > 0
    if (!isWaiting) return
    log("connections_refused", { over_network_cap: perNetwork, over_total: total, replaced })
    // The timer must not keep the process running.
    setTimeout(write, LOG_EVERY_MS).unref()
  }
  return (what) => {
    counts[what]++
    if (!isWaiting) write()
  }
}

type Begin = () => void

/**
 * Starts requests in turn by network, a few at once. One thread answers all of them, so without turns a flood of one
 * network comes before the single request of another. A turn ends with the first byte of the answer.
 */
class RequestSlots {
  readonly #atOnce: number
  readonly #holdMs: number
  #running = 0
  /** The requests that wait, by network. The first network has the next turn. */
  readonly #waiting = new Map<string, Set<Begin>>()

  /** @param atOnce requests that may run @param holdMs after which a turn is over without an answer */
  constructor(atOnce: number, holdMs: number) {
    this.#atOnce = atOnce
    this.#holdMs = holdMs
  }

  /**
   * Starts a request at its turn, or at once.
   * @returns a function that ends the turn or the wait, and may be called again
   */
  request(network: string, start: () => void): () => void {
    let state: "waiting" | "running" | "over" = "waiting"
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = () => {
      if (state === "over") return
      if (state === "waiting") this.#remove(network, begin)
      else this.#running--
      clearTimeout(timer)
      state = "over"
      this.#startNext()
    }
    const begin = () => {
      state = "running"
      this.#running++
      timer = setTimeout(end, this.#holdMs)
      start()
    }
    const ofNetwork = this.#waiting.get(network) ?? new Set()
    this.#waiting.set(network, ofNetwork.add(begin))
    this.#startNext()
    return end
  }

  #startNext(): void {
    for (const [network, requests] of this.#waiting) {
      if (this.#running >= this.#atOnce) return
      const [begin] = requests
      this.#remove(network, begin!)
      // Behind all other networks.
      if (this.#waiting.delete(network)) this.#waiting.set(network, requests)
      begin!()
    }
  }

  #remove(network: string, begin: Begin): void {
    const requests = this.#waiting.get(network)
    requests?.delete(begin)
    if (requests?.size === 0) this.#waiting.delete(network)
  }
}
