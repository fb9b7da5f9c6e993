import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"

export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

export interface Call {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * Calls the service over keep-alive connections with `node:http`. It needs a quarter of the CPU of `fetch`: the load
 * generator shares the machine with the service.
 */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #base: string

  constructor(base: string) {
    this.#base = base
  }

  /** @throws Error when there is no complete answer */
  async call({ method, path, headers, body }: Call): Promise<Answer> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(this.#base + path, { method, headers, agent: this.#agent }, resolve)
      outgoing.once("error", reject)
      outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    })
    return { status: response.statusCode!, body: await text(response), headers: response.headers }
  }

  close(): void {
    this.#agent.destroy()
  }
}
