import type { PresentedResult } from "../../adapters/cache/result-cache.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { presentChecks } from "./checks.ts"

/** The checks of a stored result as text for the cache: what is the same for everybody, and no address. */
export function presentCached(verification: Verification): PresentedResult {
  const { email, local_part, can_send, ...rest } = presentChecks({ ...verification, cached: true })
  return { json: JSON.stringify(rest), canSend: can_send }
}

/** Puts the address and the caller's own decision back: the JSON text of `{checks}`. */
export function completeCached({ json }: PresentedResult, address: ValidAddress, canSend: boolean): string {
  const own = JSON.stringify({ email: address.normalized, local_part: address.local, can_send: canSend })
  return `{"checks":${own.slice(0, -1)},${json.slice(1)}}`
}
