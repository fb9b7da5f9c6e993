import { Agent, createServer, type IncomingMessage, request } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer, json } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

/** One round trip to the database. */
export interface Trip {
  /** When the request arrived, in Unix ms with fractions. */
  readonly at: number
  /** The request's body: a Hrana pipeline. */
  readonly body: string
}

/** What `PUT /proxy` of the proxy sets. */
export interface ProxySettings {
  /** Time added to each round trip. */
  readonly delayMs: number
  /** Whether trips are recorded. */
  readonly records: boolean
}

/**
 * A proxy between Worker and database, in a process of its own. It delays round trips and records them: `PUT /proxy`
 * sets what it does, `GET /proxy` returns and drops the recorded trips.
 */
const target = new URL(process.env.DATABASE_URL!)
const agent = new Agent({ keepAlive: true })
let settings: ProxySettings = { delayMs: 0, records: false }
let trips: Trip[] = []

function forward(incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, headers, url: path } = incoming
    const outgoing = request({ agent, host: target.hostname, port: target.port, method, headers, path }, resolve)
    outgoing.once("error", reject)
    outgoing.end(body)
  })
}

const server = createServer(async (incoming, outgoing) => {
  if (incoming.url === "/proxy") {
    if (incoming.method === "PUT") settings = (await json(incoming)) as ProxySettings
    outgoing.end(JSON.stringify(trips))
    trips = []
    return
  }
  const at = performance.timeOrigin + performance.now()
  const body = await buffer(incoming)
  if (settings.records) trips.push({ at, body: body.toString() })
  if (settings.delayMs > 0) await sleep(settings.delayMs)
  try {
    const answer = await forward(incoming, body)
    outgoing.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(outgoing)
  } catch {
    outgoing.destroy()
  }
})
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.once("SIGTERM", () => process.exit())
