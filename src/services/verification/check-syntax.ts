import { parseAddress } from "../../domain/address/parse.ts"
import { suggestAddress } from "../../domain/typo/suggest.ts"

export interface SyntaxCheck {
  readonly email: string
  /** Empty when malformed. */
  readonly normalized: string
  /** By the text alone: whether the typed domain takes mail after all is not asked. */
  readonly didYouMean: string | null
  readonly problem: { readonly reason: string; readonly position: number; readonly message: string } | null
}

/** Syntax alone, without network: RFC 5321 mailbox with RFC 6531 and IDNA. */
export function checkSyntax({ email }: { email: string }): SyntaxCheck {
  const address = parseAddress(email)
  const didYouMean = suggestAddress(address.ok ? address.normalized : email, address)
  if (address.ok) return { email: address.normalized, normalized: address.normalized, didYouMean, problem: null }
  const { reason, position, message, input } = address
  return { email: input, normalized: "", didYouMean, problem: { reason, position, message } }
}
