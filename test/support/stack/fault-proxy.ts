import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { until } from "../time/until.ts"

/** What happens to the target's answers. Requests of the client always pass. */
export type Fault =
  | { readonly kind: "none" }
  | { readonly kind: "delay"; readonly ms: number }
  /** The connection ends after this many bytes of answers. */
  | { readonly kind: "cut"; readonly afterBytes: number }
  /** Connections are accepted, and answers never arrive. */
  | { readonly kind: "half-open" }
  /** Answers arrive byte by byte. */
  | { readonly kind: "drip"; readonly everyMs: number }
  /** Every connection is reset after its first data. */
  | { readonly kind: "reset" }
  /** The proxy answers with this HTTP status instead of the target. */
  | { readonly kind: "answer"; readonly status: number }
  | { readonly kind: "bandwidth"; readonly bytesPerSecond: number }

const TICK_MS = 20

/** A TCP proxy that injects faults, also into open connections. */
export class FaultProxy {
  fault: Fault = { kind: "none" }
  /** Connections accepted so far. */
  connections = 0
  /** Requests and answers that a fault has met so far. */
  met = 0
  /** The target as "host:port". Tests may set it after the start. */
  target: string
  readonly url: string
  readonly #server: Server
  readonly #open = new Set<Socket>()

  private constructor(server: Server, target: string) {
    this.#server = server
    this.target = target
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on("connection", (client) => this.#join(client))
  }

  static async start(target = ""): Promise<FaultProxy> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return new FaultProxy(server, target)
  }

  /** Number of open connections. */
  get open(): number {
    return this.#open.size
  }

  /** Resets all open connections, so that the next request opens a new one. */
  cutAll(): void {
    for (const socket of this.#open) socket.resetAndDestroy()
  }

  /** An outage of the target, which lasts until so many requests or answers have met it. */
  async outage(fault: Fault, times: number): Promise<void> {
    const before = this.met
    this.fault = fault
    this.cutAll()
    await until(
      () => this.met - before,
      (met) => met >= times,
    )
    this.fault = { kind: "none" }
    this.cutAll()
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.cutAll()
    await closed
  }

  #join(client: Socket): void {
    this.connections++
    const [host, port] = this.target.split(":")
    const upstream = connect(Number(port), host)
    this.#open.add(client)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => other.destroy())
      one.on("close", () => other.destroy())
    }
    client.on("close", () => this.#open.delete(client))
    client.on("data", (bytes) => {
      const { fault } = this
      if (fault.kind === "reset" || fault.kind === "answer") this.met++
      if (fault.kind === "reset") client.resetAndDestroy()
      else if (fault.kind === "answer") client.end(refusal(fault.status))
      else upstream.write(bytes)
    })
    void this.#answer(upstream, client)
  }

  async #answer(upstream: Socket, client: Socket): Promise<void> {
    let sent = 0
    try {
      for await (const bytes of upstream as AsyncIterable<Buffer>) {
        await this.#pass(client, bytes, sent)
        sent += bytes.length
      }
      client.end()
    } catch {
      client.destroy()
    }
  }

  /** Reads the fault for every chunk, because it may change between two. */
  async #pass(client: Socket, bytes: Buffer, sent: number): Promise<void> {
    const { fault } = this
    if (fault.kind !== "none") this.met++
    switch (fault.kind) {
      case "delay":
        await sleep(fault.ms)
        break
      case "cut":
        if (sent + bytes.length <= fault.afterBytes) break
        client.write(bytes.subarray(0, Math.max(0, fault.afterBytes - sent)), () => client.destroy())
        throw new Error("cut")
      case "half-open":
        while (this.fault.kind === "half-open" && !client.destroyed) await sleep(TICK_MS)
        break
      case "drip":
        return this.#slowly(client, bytes, { size: 1, everyMs: fault.everyMs })
      case "bandwidth": {
        const size = Math.max(1, Math.round((fault.bytesPerSecond * TICK_MS) / 1_000))
        return this.#slowly(client, bytes, { size, everyMs: TICK_MS })
      }
      default:
    }
    if (!client.destroyed) client.write(bytes)
  }

  async #slowly(client: Socket, bytes: Buffer, { size, everyMs }: { size: number; everyMs: number }): Promise<void> {
    for (let at = 0; at < bytes.length && !client.destroyed; at += size) {
      client.write(bytes.subarray(at, at + size))
      await sleep(everyMs)
    }
  }
}

function refusal(status: number): string {
  return `HTTP/1.1 ${status} x\r\ncontent-type: text/html\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno`
}
