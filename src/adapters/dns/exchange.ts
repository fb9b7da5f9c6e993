import { Buffer } from "node:buffer"
import { type Fetch, USER_AGENT } from "../outbound.ts"
import { type DnsAnswer, type DnsFailure, dnsFailure, type RecordType } from "./answer.ts"
import { encodeQuery, readAnswer } from "./message.ts"

const MEDIA_TYPE = "application/dns-message"
const HEADERS = new Headers({ accept: MEDIA_TYPE, "content-type": MEDIA_TYPE, "user-agent": USER_AGENT })
/** A DNS message has a 16-bit length on every other transport, so a longer one is invalid. */
const MAX_MESSAGE_BYTES = 65_535

/** Queries one resolver once (RFC 8484). Every error becomes a failure answer; never rejects. */
export async function queryResolver<T extends RecordType>(
  { url, fetch, signal }: { url: string; fetch: Fetch; signal: AbortSignal },
  name: string,
  type: T,
): Promise<DnsAnswer<T>> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: HEADERS,
      body: encodeQuery(name, type),
      redirect: "manual", // fetch only the configured URLs
      signal,
    })
    const problem = findProblem(response)
    if (problem) {
      await response.body?.cancel()
      return problem
    }
    const bytes = await readBody(response)
    return bytes ? readAnswer(bytes, name, type) : dnsFailure("too_large", `over ${MAX_MESSAGE_BYTES} bytes`)
  } catch (error) {
    if (signal.aborted) return dnsFailure("timeout", "no answer in time")
    return dnsFailure("unreachable", error instanceof Error ? error.message : "fetch failed")
  }
}

function findProblem(response: Response): DnsFailure | null {
  if (response.status !== 200) return dnsFailure("http_status", `HTTP ${response.status}`)
  const mediaType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (mediaType !== MEDIA_TYPE) return dnsFailure("content_type", `content type ${mediaType ?? "missing"}`)
  return null
}

/** The body; null as soon as it exceeds the size of a DNS message. */
async function readBody(response: Response): Promise<Uint8Array | null> {
  const { headers } = response
  // HTTP bounds an uncompressed body with a stated length. Reading it at once costs half as much.
  if (!headers.has("content-encoding") && Number(headers.get("content-length") ?? Number.NaN) <= MAX_MESSAGE_BYTES)
    return new Uint8Array(await response.arrayBuffer())
  const reader = response.body?.getReader()
  let bytes: Uint8Array = new Uint8Array()
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (done || !value) return bytes
    if (bytes.length + value.length > MAX_MESSAGE_BYTES) {
      await reader?.cancel()
      return null
    }
    bytes = bytes.length === 0 ? value : Buffer.concat([bytes, value])
  }
}
