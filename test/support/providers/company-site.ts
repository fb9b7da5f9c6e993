import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** Web sites of companies, friendly and hostile, selected by the host of the request. */
export interface CompanySites {
  readonly port: number
  /** Requested URLs, in order. */
  readonly calls: string[]
  /** Bytes of endless bodies that the client has read. */
  sent(): number
  stop(): Promise<void>
}

type Site = (path: string, response: ServerResponse, sites: { sent: number }) => void

const page = (body: string) => (response: ServerResponse) =>
  response.setHeader("content-type", "text/html; charset=utf-8").end(`<title>Company Ltd</title>${body}`)
const missing = (response: ServerResponse) => response.writeHead(404).end()
const move = (to: string) => (response: ServerResponse) => response.writeHead(302, { location: to }).end()

/** Pages of company.test; /secret is forbidden by its robots.txt. */
const COMPANY: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/robots.txt": (response) => response.setHeader("content-type", "text/plain").end("User-agent: *\nDisallow: /secret"),
  "/": page('<a href="/contact">Contact</a> <a href="/secret-team">Team</a> <a href="/about/">About</a>'),
  "/contact": page('<a href="mailto:alice.johnson@company.test">Alice Johnson</a> info@company.test a@elsewhere.test'),
  "/about/": page("peter.kowalski (at) company (dot) test, laura.fernandez&#64;company.test, logo@2x.png"),
  "/secret-team": page("hannah.weiss@company.test"),
}

const CHUNK = Buffer.alloc(64 * 1024, "a")
const DRIP_MS = 50

const SITES: Readonly<Record<string, Site>> = {
  "company.test": (path, response) => (COMPANY[path] ?? missing)(response),
  "redirect-site.test": (_, response) => move("http://127.0.0.1:9/")(response),
  "foreign-site.test": (_, response) => move("https://company.test/")(response),
  "closed-site.test": (path, response) =>
    path === "/robots.txt" ? response.end("User-agent: *\nDisallow: /") : page("x@closed-site.test")(response),
  "links-site.test": (path, response) =>
    path === "/robots.txt"
      ? missing(response)
      : page(Array.from({ length: 50 }, (_, n) => `<a href="${path}team${n}/">x</a>`).join(""))(response),
  "large-site.test": (path, response, sites) => {
    if (path === "/robots.txt") return missing(response)
    response.setHeader("content-type", "text/html")
    const send = () => {
      while (!response.destroyed && sites.sent < 1e9) {
        sites.sent += CHUNK.length
        if (!response.write(CHUNK)) return void response.once("drain", send)
      }
      response.end()
    }
    send()
  },
  "drip-site.test": (path, response) => {
    if (path === "/robots.txt") return missing(response)
    response.setHeader("content-type", "text/html")
    const timer = setInterval(() => response.write("a"), DRIP_MS)
    response.on("close", () => clearInterval(timer))
  },
}

/** Starts the sites on 127.43.0.2, their address in the sandbox zone. @param port 0 picks a free port */
export async function startCompanySites(port = 0, host = "127.43.0.2"): Promise<CompanySites> {
  const calls: string[] = []
  const counts = { sent: 0 }
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const name = String(request.headers["x-forwarded-host"]).replace(/^www\./, "")
    const path = new URL(request.url ?? "/", "http://localhost").pathname
    calls.push(`${name}${path}`)
    const site = SITES[name]
    if (site) site(path, response, counts)
    else missing(response)
  })
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    calls,
    sent: () => counts.sent,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
