import { parseAddress, type ValidAddress } from "./parse.ts"

/** Removes the tag: "anna+news@" becomes "anna@" (RFC 5233 §1). Null without a tag. */
export function withoutTag({ local, domain, isQuoted }: ValidAddress): ValidAddress | null {
  const plus = isQuoted ? -1 : local.indexOf("+", 1)
  const bare = plus < 0 ? null : parseAddress(`${local.slice(0, plus)}@${domain}`)
  return bare?.ok ? bare : null
}
