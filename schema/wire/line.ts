import { parseJson } from "./json.ts"
import type { SigningKey, TrustedKey } from "./keys.ts"
import { SignedLine } from "./probe.ts"

/**
 * Signed NDJSON lines. Each line is verified alone, so an interrupted stream loses no received line. The signature
 * covers the request's nonce and the line number, so a line cannot be replayed into another answer.
 */
function signedBytes(nonce: string, seq: number, payload: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(`evs-probe-line-v1\n${nonce}\n${seq}\n${payload}`))
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
