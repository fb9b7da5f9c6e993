interface AddressAnswers {
  resolve(
    name: string,
    type: "A" | "AAAA",
  ): Promise<
    | { readonly kind: "records"; readonly records: readonly string[] }
    | { readonly kind: "failure" | "no_data" | "no_such_domain" }
  >
}

/** Resolves a host, IPv4 first. Null when it has no known address and a lookup failed. */
export async function addressesOf(dns: AddressAnswers, host: string): Promise<string[] | null> {
  const answers = await Promise.all([dns.resolve(host, "A"), dns.resolve(host, "AAAA")])
  const addresses = answers.flatMap((answer) => (answer.kind === "records" ? answer.records : []))
  return addresses.length === 0 && answers.some(({ kind }) => kind === "failure") ? null : addresses
}
