import { connect, type Socket } from "node:net"

export interface Load {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failures: number
}

export interface LoadOptions {
  readonly port: number
  readonly connections: number
  readonly durationMs: number
  /** The path of the next request. */
  readonly path: () => string
  readonly headers?: string
  /** Statuses that count as an answer. */
  readonly expect: readonly number[]
}

/** Keeps `connections` keep-alive connections busy with GET requests, one at a time each, over plain sockets. */
export async function generateLoad(options: LoadOptions): Promise<Load> {
  const latencies: number[] = []
  let failures = 0
  const startedAt = performance.now()
  const endsAt = startedAt + options.durationMs
  const count = (status: number, ms: number) => {
    latencies.push(ms)
    if (!options.expect.includes(status)) failures++
  }
  await Promise.all(Array.from({ length: options.connections }, () => keepBusy(options, { endsAt, count })))
  const seconds = (performance.now() - startedAt) / 1000
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { requestsPerSecond: latencies.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99), failures }
}

interface Counting {
  readonly endsAt: number
  readonly count: (status: number, ms: number) => void
}

function keepBusy({ port, path, headers = "" }: LoadOptions, { endsAt, count }: Counting): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, "127.0.0.1")
    socket.setNoDelay(true)
    let sentAt = 0
    let received = ""
    const send = () => {
      if (performance.now() >= endsAt) return void socket.end(resolve)
      received = ""
      sentAt = performance.now()
      socket.write(`GET ${path()} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}\r\n`)
    }
    socket.on("connect", send)
    socket.on("error", reject)
    socket.setEncoding("latin1")
    socket.on("data", (text: string) => {
      received += text
      if (!isComplete(received)) return
      count(Number(received.slice(9, 12)), performance.now() - sentAt)
      send()
    })
  })
}

/** Whether a whole response has come: by its length, or by the last chunk. */
function isComplete(response: string): boolean {
  const end = response.indexOf("\r\n\r\n")
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(response.slice(0, end + 2))?.[1]
  return length === undefined ? response.endsWith("\r\n0\r\n\r\n") : response.length >= end + 4 + Number(length)
}
