import { signRequest, signResponse, type WireRequest, type WireResponse } from "../../../schema/wire/signature.ts"
import { rfcSigningKey, rfcTrustedKey } from "./signing-keys.ts"

export const NOW = 1_618_884_473
export const NONCE = "b3k2pp5k7z50gnwpyemdAA"
export const TRUSTED = [rfcTrustedKey]
export const JSON_TYPE = { "content-type": "application/json" }

/** UTF-8. */
export const bytes = (text: string) => Uint8Array.from(new TextEncoder().encode(text))

/** An unsigned request to a node. */
export function unsigned(parts: Partial<WireRequest> = {}): WireRequest {
  return {
    method: "POST",
    url: "https://node.example/v1/probe?a=1",
    headers: new Headers(JSON_TYPE),
    body: bytes('{"hello": "world"}'),
    ...parts,
  }
}

/** The same request, signed at NOW. */
export async function signed(parts: Partial<WireRequest> = {}, key = rfcSigningKey): Promise<WireRequest> {
  const request = unsigned(parts)
  return { ...request, headers: await signRequest(request, key, { nowSeconds: NOW, nonce: NONCE }) }
}

/** A node's signed answer to a request. */
export async function answered(request: WireRequest, body: WireResponse["body"] = bytes("{}"), key = rfcSigningKey) {
  const response: WireResponse = { status: 200, headers: new Headers(JSON_TYPE), body }
  return { ...response, headers: await signResponse(response, request, key, { nowSeconds: NOW, nonce: "n2" }) }
}

/** The message with a header changed after signing. @param edit returns the new value; null deletes the header */
export function withHeader<T extends { headers: Headers }>(
  message: T,
  name: string,
  edit: (value: string) => string | null,
): T {
  const headers = new Headers(message.headers)
  const value = edit(headers.get(name) ?? "")
  if (value === null) headers.delete(name)
  else headers.set(name, value)
  return { ...message, headers }
}
