import { parseAddress } from "../../domain/address/parse.ts"

export interface SyntaxCheck {
  readonly email: string
  /** Empty when malformed. */
  readonly normalized: string
  readonly problem: { readonly reason: string; readonly position: number; readonly message: string } | null
}

/** Syntax alone, without network: RFC 5321 mailbox with RFC 6531 and IDNA. */
export function checkSyntax({ email }: { email: string }): SyntaxCheck {
  const address = parseAddress(email)
  if (address.ok) return { email: address.normalized, normalized: address.normalized, problem: null }
  const { reason, position, message, input } = address
  return { email: input, normalized: "", problem: { reason, position, message } }
}
