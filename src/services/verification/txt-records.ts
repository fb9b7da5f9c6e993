import type { Dns } from "../../adapters/dns/resolver.ts"

/** Returns the TXT records of a name: none when there is no record, null when DNS gave no answer. */
export async function texts(dns: Dns, name: string): Promise<readonly string[] | null> {
  const answer = await dns.resolve(name, "TXT")
  if (answer.kind === "failure") return null
  return answer.kind === "records" ? answer.records : []
}
