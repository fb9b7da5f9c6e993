import type { ServerResponse } from "node:http"
import { finished } from "node:stream/promises"
import type { SigningKey } from "../schema/wire/keys.ts"
import type { ProbeLine } from "../schema/wire/probe.ts"
import { signLine, signResponse, type WireRequest } from "../schema/wire/signature.ts"

/** Sends an unsigned JSON answer, for callers that are not authenticated. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

/** Sends a JSON answer, signed over status, digest and the request's signature. */
export async function sendSigned(
  response: ServerResponse,
  { status, body }: { status: number; body: object },
  { request, key }: { request: WireRequest; key: SigningKey },
): Promise<void> {
  const bytes = Uint8Array.from(new TextEncoder().encode(JSON.stringify(body)))
  const headers = new Headers({ "content-type": "application/json" })
  response.writeHead(status, await signedHeaders({ status, headers, body: bytes }, request, key))
  response.end(bytes)
}

/** Sends the signed head of an NDJSON answer at once, to confirm that the node accepted the request. */
export async function startStream(
  response: ServerResponse,
  { request, nonce, key }: { request: WireRequest; nonce: string; key: SigningKey },
) {
  const headers = new Headers({ "content-type": "application/x-ndjson" })
  response.writeHead(200, await signedHeaders({ status: 200, headers, body: null }, request, key))
  response.flushHeaders()
  let written = 0
  let sent = Promise.resolve()
  return {
    get written() {
      return written
    },
    /** Signs the line. Lines are sent in the order of the writes. */
    write(line: ProbeLine): void {
      const signed = signLine(JSON.stringify(line), written++, nonce, key)
      sent = sent.then(async () => {
        const bytes = await signed
        if (!response.destroyed) response.write(bytes)
      })
    },
    async end(): Promise<void> {
      await sent
      response.end()
      await finished(response).catch(() => undefined)
    },
  }
}

async function signedHeaders(
  response: Parameters<typeof signResponse>[0],
  request: WireRequest,
  key: SigningKey,
): Promise<Record<string, string>> {
  const now = { nowSeconds: Math.floor(Date.now() / 1000), nonce: crypto.randomUUID() }
  return Object.fromEntries(await signResponse(response, request, key, now))
}
