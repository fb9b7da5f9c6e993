import {
  appendSignature,
  component,
  createSignature,
  isSignatureError,
  type MessageDescriptor,
  type RequestDescriptor,
  type ResponseDescriptor,
  verifySignature,
  webcrypto,
} from "http-message-sig"
import { parseJson } from "./json.ts"
import type { SigningKey, TrustedKey } from "./keys.ts"
import { SignedLine } from "./probe.ts"

/**
 * HTTP message signatures between edge and probe node: RFC 9421 with Ed25519 and RFC 9530 Content-Digest, both ways.
 * The library checks neither body nor replay. This module recomputes the digest over the raw bytes and returns the
 * nonce. The receiver must refuse a repeated nonce.
 */
export const LABEL = "sig1"
export const TAG = "evs-probe-v1"
/** Seconds for which a signature is valid, and the tolerated clock difference on either side. */
export const MAX_AGE_SECONDS = 30
export const CLOCK_SKEW_SECONDS = 5

const REQUEST_COMPONENTS = ["@method", "@authority", "@path", "@query", "content-digest", "content-type"]
export const WRONG_BODY = "content-digest does not match the body"
const REQUIRED_PARAMETERS = ["created", "expires", "nonce", "keyid", "tag"]
const requestSignature = component("signature", { key: LABEL, req: true })

/** A request as sender and receiver see it: final URL, header fields and raw body bytes. */
export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

export interface WireResponse {
  readonly status: number
  readonly headers: Headers
  /** Raw body. Null for a stream, whose lines have their own signatures (see `signLine`). */
  readonly body: Uint8Array<ArrayBuffer> | null
}

export type Verified = { ok: true; keyid: string; nonce: string } | { ok: false; reason: string }

/** When a message is signed, in Unix seconds, and a text with at least 128 random bits. */
interface Moment {
  readonly nowSeconds: number
  readonly nonce: string
}

/** Content-Digest of `body`, SHA-256 (RFC 9530 §2). */
export async function contentDigest(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body))
  return `sha-256=:${btoa(String.fromCharCode(...digest))}:`
}

/** @returns the headers of the request with Content-Digest, Signature-Input and Signature added */
export async function signRequest(request: WireRequest, key: SigningKey, moment: Moment): Promise<Headers> {
  const headers = new Headers(request.headers)
  headers.set("content-digest", await contentDigest(request.body))
  return sign(headers, describeRequest({ ...request, headers }), REQUEST_COMPONENTS, key, moment)
}

async function sign(
  headers: Headers,
  message: MessageDescriptor,
  components: ReturnType<typeof responseComponents>,
  { keyid, privateKey }: SigningKey,
  { nowSeconds, nonce }: Moment,
): Promise<Headers> {
  const fields = await createSignature(message, {
    label: LABEL,
    components,
    parameters: { created: nowSeconds, expires: nowSeconds + MAX_AGE_SECONDS, nonce, keyid, tag: TAG },
    signer: webcrypto.signer(privateKey),
  })
  return appendSignature(headers, fields)
}

/**
 * Checks signature and time window of a request from its headers, so that an untrusted body need not be read.
 * The caller must also check the body with `isSignedBody` and refuse a repeated nonce.
 */
export function verifyHead(
  head: Omit<WireRequest, "body">,
  trusted: readonly TrustedKey[],
  nowSeconds: number,
): Promise<Verified> {
  return verify(describeRequest(head), REQUEST_COMPONENTS, trusted, nowSeconds)
}

/** Whether the body matches the signed digest in the headers. */
export async function isSignedBody(headers: Headers, body: Uint8Array<ArrayBuffer>): Promise<boolean> {
  return headers.get("content-digest") === (await contentDigest(body))
}

/** Signs a response and binds it to the request's signature (RFC 9421 §2.4). */
export async function signResponse(
  response: WireResponse,
  request: WireRequest,
  key: SigningKey,
  moment: Moment,
): Promise<Headers> {
  const headers = new Headers(response.headers)
  if (response.body) headers.set("content-digest", await contentDigest(response.body))
  const message = describeResponse({ ...response, headers }, request)
  return sign(headers, message, responseComponents(response), key, moment)
}

/** Checks that a trusted key signed the response as the answer to exactly this request. */
export async function verifyResponse(
  response: WireResponse,
  request: WireRequest,
  trusted: readonly TrustedKey[],
  nowSeconds: number,
): Promise<Verified> {
  if (response.body && !(await isSignedBody(response.headers, response.body))) return { ok: false, reason: WRONG_BODY }
  return verify(describeResponse(response, request), responseComponents(response), trusted, nowSeconds)
}

function responseComponents(response: WireResponse) {
  return ["@status", "content-type", ...(response.body ? ["content-digest"] : []), requestSignature]
}

async function verify(
  message: MessageDescriptor,
  requiredComponents: ReturnType<typeof responseComponents>,
  trusted: readonly TrustedKey[],
  nowSeconds: number,
): Promise<Verified> {
  try {
    const { parameters } = await verifySignature(message, {
      label: LABEL,
      policy: {
        algorithms: ["ed25519"],
        requiredComponents,
        requiredParameters: REQUIRED_PARAMETERS,
        maxAge: MAX_AGE_SECONDS,
        clockSkew: CLOCK_SKEW_SECONDS,
        now: nowSeconds,
        validate: ({ parameters }) => parameters.tag === TAG,
      },
      resolveVerifier({ parameters }) {
        const key = trusted.find(({ keyid }) => keyid === parameters.keyid)
        if (!key) throw new Error("unknown keyid")
        return webcrypto.verifier(key.publicKey)
      },
    })
    return { ok: true, keyid: parameters.keyid!, nonce: parameters.nonce! }
  } catch (error) {
    if (!isSignatureError(error)) throw error
    return { ok: false, reason: `${error.code}: ${error.message}` }
  }
}

function describeRequest({ method, url, headers }: Omit<WireRequest, "body">): RequestDescriptor {
  return { kind: "request", method, targetUri: url, fields: fieldsOf(headers) }
}

function describeResponse({ status, headers }: WireResponse, request: WireRequest): ResponseDescriptor {
  return { kind: "response", status, fields: fieldsOf(headers), request: describeRequest(request) }
}

function fieldsOf(headers: Headers) {
  return [...headers].map(([name, value]) => ({ name, value }))
}

/**
 * Signed NDJSON lines. Each line is verified alone, so an interrupted stream loses no received line. The signature
 * covers the request's nonce and the line number, so a line cannot be replayed into another answer.
 */
function signedBytes(nonce: string, seq: number, payload: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(`evs-probe-line-v1\n${nonce}\n${seq}\n${payload}`))
}

/** @param nonce of the answered request @param seq line number in the stream, from 0 @returns the line with its "\n" */
export async function signLine(payload: string, seq: number, nonce: string, key: SigningKey): Promise<string> {
  const signature = await crypto.subtle.sign("Ed25519", key.privateKey, signedBytes(nonce, seq, payload))
  return `${JSON.stringify({ seq, payload, sig: btoa(String.fromCharCode(...new Uint8Array(signature))) })}\n`
}

/** The payload, if a trusted key signed it as line `seq` for this nonce, else null. */
export async function openLine(
  line: string,
  seq: number,
  nonce: string,
  trusted: readonly TrustedKey[],
): Promise<string | null> {
  const parsed = SignedLine.safeParse(parseJson(line))
  if (!parsed.success || parsed.data.seq !== seq) return null
  const { payload, sig } = parsed.data
  const signature = decodeBase64(sig)
  if (!signature) return null
  const bytes = signedBytes(nonce, seq, payload)
  for (const { publicKey } of trusted)
    if (await crypto.subtle.verify("Ed25519", publicKey, signature, bytes)) return payload
  return null
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}
