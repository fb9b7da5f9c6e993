import { parseAddress, type ValidAddress } from "./parse.ts"

/** "anna+news@" as "anna@" (RFC 5233 §1); null when there is no tag to leave out. */
export function withoutTag({ local, domain, isQuoted }: ValidAddress): ValidAddress | null {
  const plus = isQuoted ? -1 : local.indexOf("+", 1)
  const bare = plus < 0 ? null : parseAddress(`${local.slice(0, plus)}@${domain}`)
  return bare?.ok ? bare : null
}
