import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import { freePort } from "../../../scripts/dev/parts.ts"
import { until } from "../time/until.ts"

/** A free address for a receiver, to be set in a stack's settings before it starts. */
export async function freeHost(): Promise<string> {
  return `127.0.0.1:${await freePort("127.0.0.1")}`
}

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Answers of a path, one entry per request. The last one repeats. */
export type Script = readonly { readonly status: number; readonly headers?: Readonly<Record<string, string>> }[]

/** A customer's webhook endpoint: answers by script, with 200 by default, and records requests. */
export class WebhookReceiver {
  readonly received: Received[] = []
  readonly url: string
  readonly #server: Server
  readonly #scripts: Readonly<Record<string, Script>>

  private constructor(host: string, scripts: Readonly<Record<string, Script>>) {
    this.url = `http://${host}`
    this.#scripts = scripts
    this.#server = createServer(async (request, response) => {
      const path = request.url ?? "/"
      let body = ""
      for await (const piece of request) body += piece
      const script = this.#scripts[path] ?? [{ status: 200 }]
      const answer = script[Math.min(this.at(path).length, script.length - 1)]!
      this.received.push({ path, headers: request.headers, body })
      response.writeHead(answer.status, answer.headers ?? {}).end("a secret of the receiver")
    })
  }

  static async start(host: string, scripts: Readonly<Record<string, Script>>): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(host, scripts)
    const [address, port] = host.split(":")
    await new Promise<void>((resolve) => receiver.#server.listen(Number(port), address, resolve))
    return receiver
  }

  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path)
  }

  /** Waits for the n-th request to a path. */
  async request(path: string, n = 1): Promise<Received> {
    const received = await until(
      () => this.at(path),
      (all) => all.length >= n,
    )
    return received[n - 1]!
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
