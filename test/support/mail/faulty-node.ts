import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { importSigningKey, type SigningKey } from "../../../schema/wire/keys.ts"
import { signLine, signResponse, type WireRequest } from "../../../schema/wire/signature.ts"

/** How a compromised node changes correct answers. It has the node's key. */
export type NodeFault =
  | "none"
  /** Lines signed with an unknown key. */
  | "wrong signature"
  /** Lines about recipients outside the request. */
  | "foreign recipients"
  /** Every line twice. */
  | "duplicates"
  /** Ten times the requested lines. */
  | "tenfold"
  /** The stream ends after a third of its lines, in the middle of a line. */
  | "dies"
  /** Headers without any lines. */
  | "silence"
  /** A node of a later version: it reports that version, and all its answers have further fields. */
  | "later version"

/** The version that a node with the fault "later version" reports. */
export const LATER_VERSION = "99.0.0"

/** A value whose objects have a further field each, as a later version may send. */
export function withFurtherFields<T>(value: T): T {
  if (Array.isArray(value)) return value.map((one) => withFurtherFields<unknown>(one)) as T
  if (typeof value !== "object" || value === null) return value
  const fields = Object.entries(value).map(([name, one]) => [name, withFurtherFields<unknown>(one)])
  return { ...Object.fromEntries(fields), laterField: { of: ["a later version"] } } as T
}

interface Line {
  readonly type: string
  readonly index?: number
}

/** A proxy in front of a real node that simulates a compromised node. */
export class FaultyNode {
  fault: NodeFault = "none"
  /** Number of changed answers. */
  changedAnswers = 0
  readonly url: string
  readonly #server: Server
  readonly #node: string
  readonly #key: SigningKey

  private constructor(server: Server, node: string, key: SigningKey) {
    this.#server = server
    this.#node = node
    this.#key = key
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on("request", (request, response) => {
      this.#pass(request, response).catch(() => response.destroy())
    })
  }

  static async start(nodeUrl: string, signingKey: string): Promise<FaultyNode> {
    const server = createServer({ keepAliveTimeout: 65_000 })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return new FaultyNode(server, nodeUrl, await importSigningKey(signingKey))
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const abort = new AbortController()
    response.once("close", () => abort.abort())
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !["host", "connection", "content-length"].includes(name)),
    ) as Record<string, string>
    const answer = await fetch(this.#node + request.url, {
      method: request.method ?? "GET",
      headers,
      signal: abort.signal,
      ...(body.length > 0 ? { body } : {}),
    })
    const passed = [...answer.headers].filter(([name]) => !["transfer-encoding", "connection"].includes(name))
    const isStream = answer.headers.get("content-type") === "application/x-ndjson"
    if (!isStream && this.fault === "later version") return this.#sendReport(response, { request, answer, body })
    response.writeHead(answer.status, Object.fromEntries(passed))
    response.flushHeaders()
    if (!isStream || this.fault === "none") {
      for await (const bytes of answer.body ?? []) response.write(bytes)
      return void response.end()
    }
    this.changedAnswers++
    const nonce = /nonce="([^"]+)"/.exec(String(request.headers["signature-input"]))?.[1] ?? ""
    await this.#sendFaulty(response, (await answer.text()).trimEnd().split("\n"), nonce)
  }

  /** Sends another signed report. Its signature covers the request as the edge sent it, to the proxy in front. */
  async #sendReport(
    response: ServerResponse,
    { request, answer, body }: { request: IncomingMessage; answer: Response; body: Buffer },
  ): Promise<void> {
    const report = withFurtherFields({ ...((await answer.json()) as object), version: LATER_VERSION })
    const bytes = Uint8Array.from(Buffer.from(JSON.stringify(report)))
    const wire = { status: answer.status, headers: new Headers({ "content-type": "application/json" }), body: bytes }
    const asked: WireRequest = {
      ...{ method: request.method ?? "GET", url: `http://${request.headers.host}${request.url}` },
      ...{ headers: new Headers(request.headers as Record<string, string>), body: Uint8Array.from(body) },
    }
    const stamp = { nowSeconds: Math.floor(Date.now() / 1_000), nonce: crypto.randomUUID() }
    response.writeHead(answer.status, Object.fromEntries(await signResponse(wire, asked, this.#key, stamp)))
    response.end(bytes)
  }

  async #sendFaulty(response: ServerResponse, lines: readonly string[], nonce: string): Promise<void> {
    if (this.fault === "silence") return
    if (this.fault === "dies") {
      const kept = Math.floor(lines.length / 3)
      response.write(
        lines
          .slice(0, kept)
          .map((line) => `${line}\n`)
          .join("") + lines[kept]!.slice(0, 40),
      )
      return void response.destroy()
    }
    if (this.fault === "wrong signature") {
      const forged = lines.map((line) => `${JSON.stringify({ ...JSON.parse(line), sig: btoa("x".repeat(64)) })}\n`)
      return void response.end(forged.join(""))
    }
    const payloads = lines.map((line) => JSON.parse((JSON.parse(line) as { payload: string }).payload) as Line)
    const lineCopies = payloads.flatMap((payload) =>
      payload.type === "recipient" ? this.#changed(payload) : [payload],
    )
    const signed = await Promise.all(
      lineCopies.map((line, seq) => signLine(JSON.stringify(line), seq, nonce, this.#key)),
    )
    response.end(signed.join(""))
  }

  #changed(line: Line): Line[] {
    switch (this.fault) {
      case "foreign recipients":
        return [{ ...line, index: (line.index ?? 0) + 100_000 }]
      case "duplicates":
        return [line, line]
      case "tenfold":
        return Array.from({ length: 10 }, (_, n) => ({ ...line, index: (line.index ?? 0) + n * 1_000 }))
      case "later version":
        return [withFurtherFields(line)]
      default:
        return [line]
    }
  }
}
