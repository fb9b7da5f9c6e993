import type { TrustedKey } from "../../../schema/wire/keys.ts"
import {
  isSignedBody,
  type Verified,
  verifyHead,
  type WireRequest,
  WRONG_BODY,
} from "../../../schema/wire/signature.ts"

/** Verifies a request as its receiver does, without the replay guard. */
export async function verifyRequest(
  request: WireRequest,
  trusted: readonly TrustedKey[],
  nowSeconds: number,
): Promise<Verified> {
  const verified = await verifyHead(request, trusted, nowSeconds)
  if (!verified.ok || (await isSignedBody(request.headers, request.body))) return verified
  return { ok: false, reason: WRONG_BODY }
}
