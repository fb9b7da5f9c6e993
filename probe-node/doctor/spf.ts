import ipaddr from "ipaddr.js"
import { addressesOf, type DnsAnswer, type DoctorDns, isSameIp } from "./dns.ts"
import { expandMacros, type SpfQuery } from "./spf-macros.ts"
import { isSpf, readSpf, type SpfTerm, type SpfTerms } from "./spf-term.ts"

/** An SPF result (RFC 7208 §2.6) and its reason. */
export interface SpfVerdict {
  readonly result: SpfTerm["result"] | "none" | "permerror" | "temperror"
  /** The term that matched, or the error. */
  readonly why: string
}

/** §4.6.4 */
const MAX_LOOKUPS = 10
const MAX_VOID_LOOKUPS = 2
const MAX_HOSTS = 10

/** Whether `domain` authorizes the address to send: check_host() of RFC 7208 §4, with its limits. */
export async function checkSpf(dns: DoctorDns, domain: string, query: SpfQuery): Promise<SpfVerdict> {
  try {
    return await new Evaluation(dns, query).check(domain)
  } catch (error) {
    if (error instanceof Stop) return { result: error.result, why: error.message }
    throw error
  }
}

/** Aborts the whole evaluation from any depth. */
class Stop extends Error {
  readonly result: "permerror" | "temperror"

  constructor(result: "permerror" | "temperror", why: string) {
    super(why)
    this.result = result
  }
}

class Evaluation {
  readonly #dns: DoctorDns
  readonly #query: SpfQuery
  readonly #family: "ipv4" | "ipv6"
  #lookups = 0
  #voids = 0

  constructor(dns: DoctorDns, query: SpfQuery) {
    this.#dns = dns
    this.#query = query
    this.#family = ipaddr.process(query.ip).kind()
  }

  async check(domain: string): Promise<SpfVerdict> {
    const terms = await this.#record(domain)
    if (terms === null) return { result: "none", why: `${domain} has no SPF record` }
    for (const term of terms.directives)
      if (await this.#matches(term, domain)) return { result: term.result, why: `"${term.text}" of ${domain}` }
    if (terms.redirect === null) return { result: "neutral", why: `nothing in the record of ${domain} matches` }
    this.#count(domain)
    const next = await this.check(this.#expand(terms.redirect, domain))
    if (next.result === "none") throw new Stop("permerror", `the redirect of ${domain} leads to no record`)
    return next
  }

  async #record(domain: string): Promise<SpfTerms | null> {
    const answer = await this.#dns.txt(domain)
    if (answer.kind === "failure") throw new Stop("temperror", `the TXT records of ${domain} could not be read`)
    const records = answer.kind === "records" ? answer.records.filter(isSpf) : []
    if (records.length > 1) throw new Stop("permerror", `${domain} has ${records.length} SPF records`)
    const terms = records[0] === undefined ? null : readSpf(records[0])
    if (typeof terms === "string") throw new Stop("permerror", `"${terms}" in the record of ${domain} cannot be read`)
    return terms
  }

  async #matches(term: SpfTerm, domain: string): Promise<boolean> {
    if (term.name === "all") return true
    if (term.name === "ip4" || term.name === "ip6") return this.#isInNetwork(term.target!)
    this.#count(domain)
    const target = term.target === null ? domain : this.#expand(term.target, domain)
    switch (term.name) {
      case "include":
        return this.#includes(target)
      case "a":
        return this.#matchesAny(await this.#found(this.#addresses(target), target), term)
      case "mx":
        return this.#isMailHost(target, term)
      case "exists":
        return (await this.#found(this.#dns.a(target), target)).length > 0
      default:
        return this.#isNamed(target)
    }
  }

  async #includes(target: string): Promise<boolean> {
    const { result } = await this.check(target)
    if (result === "none") throw new Stop("permerror", `include:${target} has no SPF record`)
    return result === "pass"
  }

  async #isMailHost(domain: string, term: SpfTerm): Promise<boolean> {
    const hosts = await this.#found(this.#dns.mx(domain), domain)
    if (hosts.length > MAX_HOSTS) throw new Stop("permerror", `mx:${domain} has more than ${MAX_HOSTS} hosts`)
    for (const { exchange } of hosts) {
      const answer = await this.#addresses(exchange)
      if (answer.kind === "records" && this.#matchesAny(answer.records, term)) return true
    }
    return false
  }

  /** `ptr`, deprecated by §5.5: a reverse name of the address that ends in the domain and points back. */
  async #isNamed(domain: string): Promise<boolean> {
    const { ip } = this.#query
    const answer = await this.#dns.ptr(ip)
    const names = answer.kind === "records" ? answer.records.slice(0, MAX_HOSTS) : []
    for (const name of names.filter((one) => one === domain || one.endsWith(`.${domain}`))) {
      const back = await addressesOf(this.#dns, name)
      if (back.kind === "records" && back.records.some((address) => isSameIp(address, ip))) return true
    }
    return false
  }

  #addresses(host: string): Promise<DnsAnswer> {
    return this.#family === "ipv4" ? this.#dns.a(host) : this.#dns.aaaa(host)
  }

  #matchesAny(addresses: readonly string[], { prefix }: SpfTerm): boolean {
    return addresses.some((address) => this.#isInNetwork(`${address}/${prefix[this.#family]}`))
  }

  #isInNetwork(network: string): boolean {
    const whole = network.includes(":") ? 128 : 32
    const [range, length] = ipaddr.parseCIDR(network.includes("/") ? network : `${network}/${whole}`)
    const ip = ipaddr.process(this.#query.ip)
    return range.kind() === ip.kind() && ip.match(range, length)
  }

  #expand(text: string, domain: string): string {
    const name = expandMacros(text, domain, this.#query)
    if (!name) throw new Stop("permerror", `"${text}" in the record of ${domain} cannot be read`)
    return name
  }

  async #found<T>(pending: Promise<DnsAnswer<T>>, name: string): Promise<readonly T[]> {
    const answer = await pending
    if (answer.kind === "records") return answer.records
    if (answer.kind === "failure") throw new Stop("temperror", `${name} could not be looked up`)
    if (++this.#voids > MAX_VOID_LOOKUPS) throw new Stop("permerror", "more than two look-ups found nothing")
    return []
  }

  #count(domain: string): void {
    if (++this.#lookups > MAX_LOOKUPS)
      throw new Stop("permerror", `more than ten look-ups, the last in the record of ${domain}`)
  }
}
