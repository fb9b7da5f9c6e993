import type { MxRecord } from "node:dns"
import { Resolver } from "node:dns/promises"
import ipaddr from "ipaddr.js"

/** A DNS answer. `failure` means no answer. `no_data` and `no_such_domain` are negative answers. */
export type DnsAnswer<T = string> =
  | { readonly kind: "records"; readonly records: readonly T[] }
  | { readonly kind: "no_data" }
  | { readonly kind: "no_such_domain" }
  | { readonly kind: "failure"; readonly code: string }

const WAIT_MS = 2_500

/**
 * DNS queries of the doctor. Returned names are lower-case without a final dot.
 * @param server "host:port" of the resolver. Null: the system's resolver.
 */
export function createDoctorDns(server: string | null) {
  const resolver = new Resolver({ timeout: WAIT_MS, tries: 2 })
  if (server) resolver.setServers([server])
  let isCanceled = false
  const query = <T>(start: () => Promise<readonly T[]>): Promise<DnsAnswer<T>> =>
    isCanceled ? Promise.resolve({ kind: "failure", code: "ECANCELLED" }) : answered(start())
  return {
    a: (name: string) => query(() => resolver.resolve4(name)),
    aaaa: (name: string) => query(() => resolver.resolve6(name)),
    mx: (name: string): Promise<DnsAnswer<MxRecord>> =>
      query(async () =>
        (await resolver.resolveMx(name)).map(({ exchange, priority }) => ({ exchange: plain(exchange), priority })),
      ),
    txt: (name: string) => query(async () => (await resolver.resolveTxt(name)).map((parts) => parts.join(""))),
    /** @param name from `reverseName`: a lookup by address would also read /etc/hosts, which mail servers do not see */
    ptr: (name: string) => query(async () => (await resolver.resolvePtr(name)).map(plain)),
    /** Fails all running and future queries. */
    cancel(): void {
      isCanceled = true
      resolver.cancel()
    },
  }
}

export type DoctorDns = ReturnType<typeof createDoctorDns>

/** IPv4 and IPv6 addresses of a name. A failure only if neither query returned a record. */
export async function addressesOf(dns: DoctorDns, name: string): Promise<DnsAnswer> {
  const answers = await Promise.all([dns.a(name), dns.aaaa(name)])
  const records = answers.flatMap((answer) => (answer.kind === "records" ? answer.records : []))
  if (records.length > 0) return { kind: "records", records }
  return answers.find(({ kind }) => kind === "failure") ?? answers[0]
}

/** Whether two texts denote the same address. */
export function isSameIp(one: string, other: string): boolean {
  const normal = (ip: string) => ipaddr.process(ip).toNormalizedString()
  return one === other || (ipaddr.isValid(one) && ipaddr.isValid(other) && normal(one) === normal(other))
}

async function answered<T>(pending: Promise<readonly T[]>): Promise<DnsAnswer<T>> {
  try {
    const records = await pending
    return records.length > 0 ? { kind: "records", records } : { kind: "no_data" }
  } catch (error) {
    const { code = "EUNKNOWN" } = error as NodeJS.ErrnoException
    if (code === "ENOTFOUND") return { kind: "no_such_domain" }
    return code === "ENODATA" ? { kind: "no_data" } : { kind: "failure", code }
  }
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\.$/, "")
}
