import { Agent, type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"

export interface Answer {
  readonly status: number
  readonly body: string
}

export interface Call {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * Calls over kept connections with `node:http`, which takes a quarter of the processor that `fetch` does: load that is made on
 * the machine it is made for takes from what it measures.
 */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #base: string

  constructor(base: string) {
    this.#base = base
  }

  /** @throws Error when no whole answer comes */
  async call({ method, path, headers, body }: Call): Promise<Answer> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(this.#base + path, { method, headers, agent: this.#agent }, resolve)
      outgoing.once("error", reject)
      outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    })
    return { status: response.statusCode!, body: await text(response) }
  }

  close(): void {
    this.#agent.destroy()
  }
}
