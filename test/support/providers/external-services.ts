import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"

/** Stub servers of external HTTP services about domains and addresses: RDAP, Gravatar and web servers, on one port. */
export interface ExternalServices {
  readonly url: string
  /** Settings with the addresses of these servers. */
  readonly settings: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** The address of web servers in the sandbox zone. */
const HOST = "127.43.0.1"
/** Longer than an answer waits for a fact. */
const SLOW_MS = 3_000
const YOUNGER = [{ eventAction: "registration", eventDate: "2020-02-02T00:00:00Z" }] as const

const LONG_STANDING = {
  events: [
    { eventAction: "last changed", eventDate: "2026-01-01T00:00:00Z" },
    { eventAction: "registration", eventDate: "2019-05-01T12:00:00Z" },
  ],
}

interface Registration {
  readonly events: readonly object[]
  readonly waits?: () => Promise<unknown>
}

/** Resolves when a test sends a PUT to /release. */
const release = Promise.withResolvers<void>()

/** RFC 9083 objects by domain. Other names are 404. */
const REGISTRATIONS: Readonly<Record<string, Registration>> = {
  "facts.test": LONG_STANDING,
  "counted.test": LONG_STANDING,
  "slow-facts.test": { events: YOUNGER, waits: () => release.promise },
  "slower-facts.test": { events: YOUNGER, waits: () => setTimeout(SLOW_MS) },
  "web-facts.test": { events: [{ eventAction: "expiration", eventDate: "2030-01-01T00:00:00Z" }] },
}

const AVATARS = new Set(
  ["alice@facts.test", "alice@counted.test"].map((email) => createHash("sha256").update(email).digest("hex")),
)

const STS_POLICY = "version: STSv1\r\nmode: enforce\r\nmx: *.facts.test\r\nmx: *.counted.test\r\nmax_age: 86400\r\n"

type Page = (response: ServerResponse, request: IncomingMessage) => void

const html: Page = (response) => response.setHeader("content-type", "text/html").end("<title>Hello</title>")

const stsPolicy: Page = (response) => response.setHeader("content-type", "text/plain").end(STS_POLICY)

/** Pages by their original URL. */
const PAGES: Readonly<Record<string, Page>> = {
  "https://facts.test/": html,
  "https://mta-sts.facts.test/.well-known/mta-sts.txt": stsPolicy,
  "https://counted.test/": html,
  "https://mta-sts.counted.test/.well-known/mta-sts.txt": stsPolicy,
  "https://web-facts.test/": (_, request) => request.socket.destroy(),
  "http://web-facts.test/": (response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
  "https://parked.test/": html,
}

export async function startExternalServices(): Promise<ExternalServices> {
  const calls: string[] = []
  const server = createServer((request, response) => {
    respond(request, response, calls).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://${HOST}:${port}`
  return {
    url,
    settings: {
      RDAP_BOOTSTRAP_URL: `${url}/rdap/dns.json`,
      GRAVATAR_URL: `${url}/avatar`,
      WEB_SANDBOX: `127.43.0.0/16:${port}`,
      LIST_SOURCES: JSON.stringify([
        ...["one", "two"].map((name) => ({ name, class: "disposable", url: `${url}/lists/${name}`, first_hand: true })),
        { name: "root", class: "top_level", url: `${url}/lists/root` },
      ]),
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Also serves the recorded calls at /calls, because tests run in another process. */
async function respond(request: IncomingMessage, response: ServerResponse, calls: string[]): Promise<void> {
  const { pathname, origin } = new URL(request.url ?? "/", `http://${request.headers.host}`)
  if (pathname === "/calls") return void response.end(JSON.stringify(calls))
  if (pathname === "/release") return void response.end(release.resolve())
  if (pathname.startsWith("/lists/")) return answerList(response, request)
  const host = request.headers["x-forwarded-host"]
  const meant = host ? `${request.headers["x-forwarded-proto"]}://${host}${pathname}` : pathname
  calls.push(meant)
  if (host) return (PAGES[meant] ?? notFound)(response, request)
  if (pathname === "/rdap/dns.json")
    return void response.end(JSON.stringify({ version: "1.0", services: [[["test"], [`${origin}/rdap/`]]] }))
  const domain = /^\/rdap\/domain\/(.+)$/.exec(pathname)?.[1]
  if (domain !== undefined) return answerRdap(response, domain)
  const avatar = /^\/avatar\/([0-9a-f]{64})$/.exec(pathname)?.[1]
  if (avatar && AVATARS.has(avatar)) return void response.setHeader("content-type", "image/png").end("png")
  notFound(response)
}

/** Lists of domains, set by tests with PUT; null deletes one. */
const lists = new Map<string, readonly string[]>()

async function answerList(response: ServerResponse, request: IncomingMessage): Promise<void> {
  const name = request.url ?? ""
  if (request.method === "PUT") {
    const domains = JSON.parse(Buffer.concat(await request.toArray()).toString()) as readonly string[] | null
    if (domains) lists.set(name, domains)
    else lists.delete(name)
  }
  const list = lists.get(name)
  if (!list && request.method !== "PUT") return notFound(response)
  response.setHeader("content-type", "text/plain").end(`# a list\n${(list ?? []).join("\n")}\n`)
}

async function answerRdap(response: ServerResponse, domain: string): Promise<void> {
  const registration = REGISTRATIONS[domain]
  if (!registration) return notFound(response)
  await registration.waits?.()
  const body = { objectClassName: "domain", ldhName: domain, events: registration.events }
  response.setHeader("content-type", "application/rdap+json").end(JSON.stringify(body))
}

function notFound(response: ServerResponse): void {
  response.writeHead(404).end()
}
