interface AddressAnswers {
  resolve(
    name: string,
    type: "A" | "AAAA",
    options?: { readonly confirm: boolean },
  ): Promise<
    | { readonly kind: "records"; readonly records: readonly string[]; readonly isAlias?: true }
    | { readonly kind: "no_data" | "no_such_domain"; readonly isAlias?: true; readonly isUnconfirmed?: true }
    | { readonly kind: "failure" }
  >
}

interface ResolvedHost {
  /** IPv4 first. Empty: the host has no address. Null: no address is known, and a lookup failed. */
  readonly addresses: string[] | null
  /** Whether the name is an alias: answers about it contain its CNAME records (RFC 1034 §3.6.2). Null without an answer. */
  readonly isAlias: boolean | null
}

/** Resolves a host. A second resolver must confirm that it has no IPv6 address only where it has no IPv4 address. */
export async function resolveHost(dns: AddressAnswers, host: string): Promise<ResolvedHost> {
  const [four, first] = await Promise.all([dns.resolve(host, "A"), dns.resolve(host, "AAAA", { confirm: false })])
  const isDecisive = four.kind !== "records" && "isUnconfirmed" in first
  const answers = [four, isDecisive ? await dns.resolve(host, "AAAA") : first]
  const addresses = answers.flatMap((answer) => (answer.kind === "records" ? answer.records : []))
  const known = answers.filter((answer) => answer.kind !== "failure")
  return {
    addresses: addresses.length === 0 && known.length < answers.length ? null : addresses,
    isAlias: known.length === 0 ? null : known.some(({ isAlias }) => isAlias),
  }
}

/** The addresses of a host, IPv4 first. Null when it has no known address and a lookup failed. */
export async function addressesOf(dns: AddressAnswers, host: string): Promise<string[] | null> {
  return (await resolveHost(dns, host)).addresses
}
