import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A request to a stub server. */
export interface StubRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Given {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; without it and `text` the body is empty. */
  readonly json?: unknown
  /** Sent as plain text instead. */
  readonly text?: string
}

export interface StubServer {
  readonly url: string
  /** "METHOD path" of each call; also at /calls, for tests in another process. */
  readonly calls: readonly string[]
  stop(): Promise<void>
}

/** Starts a stub of an external service. @param answer returns the response to a request */
export async function startStub(answer: (asked: StubRequest) => Given | Promise<Given>): Promise<StubServer> {
  const calls: string[] = []
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stand-in")
    if (pathname === "/calls") return void response.end(JSON.stringify(calls))
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    calls.push(`${request.method} ${decodeURIComponent(pathname)}`)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const asked = { method: request.method ?? "", path: pathname, query: searchParams, headers }
    const given = await answer({ ...asked, body: Buffer.concat(chunks).toString() })
    const type = given.json === undefined ? {} : { "content-type": "application/json" }
    response.writeHead(given.status, { ...type, ...given.headers })
    response.end(given.json === undefined ? (given.text ?? "") : JSON.stringify(given.json))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
