import ipaddr from "ipaddr.js"
import { reverseName } from "./addresses.ts"
import { expandMacros, isSpf, readSpfRecord, type SpfQualifier, type SpfSender, type SpfTerm } from "./spf-record.ts"

/** A DNS answer. `failure` means no answer. The name of a mail host is a text or the `host` of its record. */
type SpfAnswer =
  | { readonly kind: "records"; readonly records: readonly (string | { readonly host: string })[] }
  | { readonly kind: "no_data" | "no_such_domain" | "failure" }

/** Queries DNS. Returned names are in lower case without a final dot. */
export type SpfLookup = (name: string, type: "TXT" | "A" | "AAAA" | "MX" | "PTR") => Promise<SpfAnswer>

type SpfProblem =
  | "several_records" // RFC 7208 §4.5
  | "syntax" // §4.6
  | "too_many_lookups" // §4.6.4: at most ten terms with DNS lookups, and ten mail hosts under each mx
  | "too_many_void_lookups" // §4.6.4: at most two lookups without a result
  | "include_without_record" // §5.2, §6.1
  | "loop"

/** What a domain's SPF says without a sender. */
export type Spf =
  | { readonly kind: "none" }
  | { readonly kind: "permerror"; readonly problem: SpfProblem; readonly at: string }
  | {
      readonly kind: "valid"
      /** The qualifier of `all`, through redirects: the result for senders that no term names. Null without `all`. */
      readonly all: SpfQualifier | null
      readonly lookups: number
    }

/** What a domain's SPF says about a sender (§2.6). */
export interface SpfVerdict {
  readonly result: "pass" | "fail" | "softfail" | "neutral" | "none" | "permerror" | "temperror"
  /** The term that matched, or the error. */
  readonly why: string
}

const MAX_LOOKUPS = 10
const MAX_VOID_LOOKUPS = 2
const MAX_HOSTS = 10
const RESULTS = { "+": "pass", "-": "fail", "~": "softfail", "?": "neutral" } as const
const DNS_NAME = /^[^.]{1,63}(?:\.[^.]{1,63})*$/
const MAX_NAME = 253

/**
 * Checks a domain's SPF without a sender: the record, everything that it includes, and the limits.
 * Counts every term up to `all`, even those that a given message would not reach. Macros are counted, not resolved.
 * @returns null when DNS gave no answer (temperror)
 */
export async function checkSpf(domain: string, lookup: SpfLookup): Promise<Spf | null> {
  const evaluation = new Evaluation(lookup, null)
  const found = await evaluation.run(domain)
  if (found === null) return { kind: "none" }
  if (!(found instanceof Stop)) return { kind: "valid", all: found.qualifier, lookups: evaluation.lookups }
  return found.problem && { kind: "permerror", problem: found.problem, at: found.at }
}

/**
 * Evaluates a domain's SPF for a sender: check_host() of RFC 7208 §4. An explanation (`exp`) is not fetched.
 * @throws Error when `sender.ip` is not an IP address
 */
export async function evaluateSpf(domain: string, sender: SpfSender, lookup: SpfLookup): Promise<SpfVerdict> {
  const found = await new Evaluation(lookup, sender).run(domain)
  if (found === null) return { result: "none", why: `${domain} has no SPF record` }
  if (found instanceof Stop) return { result: found.problem ? "permerror" : "temperror", why: found.message }
  return { result: RESULTS[found.qualifier ?? "?"], why: found.why }
}

/** Ends the whole evaluation from any depth. */
class Stop extends Error {
  /** Null: DNS gave no answer. */
  readonly problem: SpfProblem | null
  /** The name that has the problem. */
  readonly at: string

  constructor(problem: SpfProblem | null, at: string, why: string) {
    super(why)
    this.problem = problem
    this.at = at
  }
}

interface Match {
  /** Null: no term matches. */
  readonly qualifier: SpfQualifier | null
  readonly why: string
}

class Evaluation {
  lookups = 0
  #voids = 0
  readonly #lookup: SpfLookup
  /** Null: every term is checked, and only `all` ends a record. */
  readonly #sender: (SpfSender & { readonly address: ipaddr.IPv4 | ipaddr.IPv6 }) | null

  constructor(lookup: SpfLookup, sender: SpfSender | null) {
    this.#lookup = lookup
    this.#sender = sender && { ...sender, address: ipaddr.process(sender.ip) }
  }

  /** @returns null without a record */
  async run(domain: string): Promise<Match | Stop | null> {
    try {
      return await this.#check(domain, [])
    } catch (error) {
      if (error instanceof Stop) return error
      throw error
    }
  }

  /** @param path the names that include this one, to detect loops */
  async #check(domain: string, path: readonly string[]): Promise<Match | null> {
    if (path.includes(domain)) throw new Stop("loop", domain, `the record of ${domain} includes itself`)
    const terms = await this.#terms(domain, path.length > 0)
    const below = [...path, domain]
    for (const term of terms ?? []) {
      if (term.name === "redirect") return this.#follow(term, domain, below)
      const isMatch = await this.#matches(term, domain, below)
      if (isMatch && (this.#sender || term.name === "all"))
        return { qualifier: term.qualifier, why: `"${term.text}" of ${domain}` }
    }
    return terms && { qualifier: null, why: `nothing in the record of ${domain} matches` }
  }

  async #terms(domain: string, countsVoid: boolean): Promise<readonly SpfTerm[] | null> {
    // §4.3: neither a malformed name nor a top-level name has a record.
    const texts = domain.includes(".") ? await this.#query(domain, "TXT", countsVoid) : []
    const records = texts.filter(isSpf)
    if (records.length > 1) throw new Stop("several_records", domain, `${domain} has ${records.length} SPF records`)
    if (records[0] === undefined) return null
    const record = readSpfRecord(records[0])
    if (record.ok) return record.terms
    throw new Stop("syntax", domain, `"${record.word}" in the record of ${domain} cannot be read`)
  }

  async #matches(term: SpfTerm, domain: string, path: readonly string[]): Promise<boolean> {
    if (term.name === "all") return true
    if (term.name === "ip4" || term.name === "ip6") return this.#isIn([term.target!], term)
    if (term.name === "include") return (await this.#follow(term, domain, path)).qualifier === "+"
    const target = await this.#target(term, domain)
    if (target === null) return false
    switch (term.name) {
      case "a":
        return this.#isIn(await this.#addresses(target, true), term)
      case "mx":
        return this.#isMailHost(target, term)
      case "exists":
        return this.#sender !== null && (await this.#query(target, "A", true)).length > 0
      default:
        return this.#sender !== null && (await this.#ownNames()).some((name) => isWithin(name, target))
    }
  }

  /** Evaluates the record that an include or a redirect names. */
  async #follow(term: SpfTerm, domain: string, path: readonly string[]): Promise<Match> {
    const target = await this.#target(term, domain)
    if (target === null) return { qualifier: null, why: `"${term.text}" of ${domain} depends on the sender` }
    const found = await this.#check(target, path)
    if (found) return found
    throw new Stop("include_without_record", target, `"${term.text}" of ${domain} leads to no SPF record`)
  }

  async #isMailHost(domain: string, term: SpfTerm): Promise<boolean> {
    const hosts = await this.#query(domain, "MX", true)
    if (hosts.length > MAX_HOSTS)
      throw new Stop("too_many_lookups", domain, `${domain} has more than ${MAX_HOSTS} mail hosts`)
    for (const host of this.#sender ? hosts : []) if (this.#isIn(await this.#addresses(host, false), term)) return true
    return false
  }

  /** The verified reverse names of the source address (§5.5). A failed lookup yields no name. */
  async #ownNames(): Promise<string[]> {
    const { ip, address } = this.#sender!
    const [reverse, type] = [await this.#lookup(reverseName(ip), "PTR"), typeOf(address)]
    const names = reverse.kind === "records" ? reverse.records.map(nameOf).slice(0, MAX_HOSTS) : []
    const answers = await Promise.all(names.map((name) => this.#lookup(name, type)))
    const isOwn = (text: string) => ipaddr.isValid(text) && ipaddr.process(text).toString() === address.toString()
    return names.filter((_, at) => {
      const answer = answers[at]!
      return answer.kind === "records" && answer.records.map(nameOf).some(isOwn)
    })
  }

  /** The name that a term queries. Null when it depends on a sender and none is given. */
  async #target(term: SpfTerm, domain: string): Promise<string | null> {
    this.#count(domain)
    const text = term.target ?? domain
    if (!text.includes("%")) return text.toLowerCase().replace(/\.$/, "")
    if (!this.#sender) return null
    if (!/%\{p/i.test(text)) return expandMacros(text, domain, this.#sender)
    this.#count(domain)
    const names = await this.#ownNames()
    // §7.3: the domain itself, else a name below it, else any.
    const own = names.find((name) => name === domain) ?? names.find((name) => isWithin(name, domain)) ?? names[0]
    return expandMacros(text, domain, this.#sender, own)
  }

  /** The addresses of the sender's family. Without a sender those of one family, so that a host of either is not void. */
  async #addresses(host: string, countsVoid: boolean): Promise<readonly string[]> {
    if (this.#sender) return this.#query(host, typeOf(this.#sender.address), countsVoid)
    const four = await this.#query(host, "A", false)
    return four.length > 0 ? four : this.#query(host, "AAAA", countsVoid)
  }

  #isIn(networks: readonly string[], { prefix }: SpfTerm): boolean {
    const address = this.#sender?.address
    return networks.some((text) => {
      if (!address || !ipaddr.isValid(text)) return false
      const network = ipaddr.parse(text)
      return network.kind() === address.kind() && address.match(network, prefix[address.kind()])
    })
  }

  #count(domain: string): void {
    if (++this.lookups > MAX_LOOKUPS)
      throw new Stop("too_many_lookups", domain, `more than ten lookups, the last in the record of ${domain}`)
  }

  /** A name that DNS cannot hold has no records (§4.3, §4.8). */
  async #query(name: string, type: Parameters<SpfLookup>[1], countsVoid: boolean): Promise<readonly string[]> {
    const isName = name.length <= MAX_NAME && DNS_NAME.test(name)
    const answer = isName ? await this.#lookup(name, type) : ({ kind: "no_such_domain" } as const)
    if (answer.kind === "records") return answer.records.map(nameOf)
    if (answer.kind === "failure") throw new Stop(null, name, `the ${type} records of ${name} could not be read`)
    if (countsVoid && ++this.#voids > MAX_VOID_LOOKUPS)
      throw new Stop("too_many_void_lookups", name, `more than two lookups found nothing, the last for ${name}`)
    return []
  }
}

function nameOf(record: string | { readonly host: string }): string {
  return typeof record === "string" ? record : record.host
}

function typeOf(address: ipaddr.IPv4 | ipaddr.IPv6): "A" | "AAAA" {
  return address.kind() === "ipv4" ? "A" : "AAAA"
}

function isWithin(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`)
}
