import type { Dns } from "./resolver.ts"

/** The addresses of a host, those of IPv4 first. Null when it may have some: none came, and a question had no answer. */
export async function addressesOf(dns: Dns, host: string): Promise<string[] | null> {
  const answers = await Promise.all([dns.resolve(host, "A"), dns.resolve(host, "AAAA")])
  const addresses = answers.flatMap((answer) => (answer.kind === "records" ? answer.records : []))
  return addresses.length === 0 && answers.some(({ kind }) => kind === "failure") ? null : addresses
}
