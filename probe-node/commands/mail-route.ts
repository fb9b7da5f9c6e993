import { addressesOf, type DoctorDns } from "../doctor/dns.ts"
import type { Mx } from "../smtp/route.ts"

export type MailRoute =
  | { readonly kind: "mx" | "implicit"; readonly hosts: Mx }
  /** No mail host to probe, for this reason. */
  | { readonly kind: "none"; readonly why: string }

/** The mail hosts of a domain: its MX records, or the domain itself without any (RFC 5321 §5.1). */
export async function findMailRoute(dns: DoctorDns, domain: string): Promise<MailRoute> {
  const mx = await dns.mx(domain)
  if (mx.kind === "records") {
    const hosts = mx.records
      .filter(({ exchange }) => exchange !== "")
      .map(({ exchange, priority }) => ({ host: exchange, preference: priority }))
      .toSorted((one, other) => one.preference - other.preference)
    return hosts.length > 0
      ? { kind: "mx", hosts }
      : { kind: "none", why: "a null MX: the domain accepts no mail (RFC 7505)" }
  }
  if (mx.kind === "no_such_domain") return { kind: "none", why: "the domain does not exist" }
  if (mx.kind === "failure") return { kind: "none", why: `DNS does not answer (${mx.code})` }
  const addresses = await addressesOf(dns, domain)
  if (addresses.kind === "records") return { kind: "implicit", hosts: [{ host: domain, preference: 0 }] }
  return {
    kind: "none",
    why: addresses.kind === "failure" ? `DNS does not answer (${addresses.code})` : "neither MX nor address",
  }
}
