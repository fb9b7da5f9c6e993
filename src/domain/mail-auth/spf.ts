import { isSpf, readSpfRecord, type SpfTerm } from "./spf-record.ts"

/** A DNS answer, as far as SPF needs it. The resolver's answers are assignable to it. */
type SpfAnswer =
  | { readonly kind: "records"; readonly records: readonly unknown[] }
  | { readonly kind: "no_data" }
  | { readonly kind: "no_such_domain" }
  | { readonly kind: "failure" }

export type SpfResolve = (name: string, type: "TXT" | "A" | "AAAA" | "MX") => Promise<SpfAnswer>

type SpfProblem =
  | "several_records" // RFC 7208 §4.5
  | "syntax" // §4.6
  | "too_many_lookups" // §4.6.4: at most ten terms with DNS lookups, and ten mail hosts under each mx
  | "too_many_void_lookups" // §4.6.4: at most two lookups without a result
  | "include_without_record" // §5.2
  | "loop"

export type Spf =
  | { readonly kind: "none" }
  | { readonly kind: "permerror"; readonly problem: SpfProblem; readonly at: string }
  | {
      readonly kind: "valid"
      /** The qualifier of `all`, through redirects: the result for senders that no term names. Null without `all`. */
      readonly all: SpfTerm["qualifier"] | null
      readonly lookups: number
    }

const MAX_LOOKUPS = 10
const MAX_VOID_LOOKUPS = 2
const MAX_MAIL_HOSTS = 10
const LOOKUP_TERMS: ReadonlySet<SpfTerm["name"]> = new Set(["include", "a", "mx", "ptr", "exists", "redirect"])

/**
 * Checks a domain's SPF without a sender: the record, everything that it includes, and the limits.
 * Counts every term up to `all`, even those that a given message would not reach.
 * @returns null when DNS gave no answer (temperror)
 */
export async function checkSpf(domain: string, resolve: SpfResolve): Promise<Spf | null> {
  const walk = new Walk(resolve)
  try {
    const all = await walk.record(domain, [])
    if (all === "none") return { kind: "none" }
    return { kind: "valid", all, lookups: walk.lookups }
  } catch (error) {
    if (error instanceof PermError) return { kind: "permerror", problem: error.problem, at: error.at }
    if (error instanceof TempError) return null
    throw error
  }
}

class TempError extends Error {}

class PermError extends Error {
  readonly problem: SpfProblem
  readonly at: string

  constructor(problem: SpfProblem, at: string) {
    super(problem)
    this.problem = problem
    this.at = at
  }
}

class Walk {
  lookups = 0
  #voids = 0
  readonly #resolve: SpfResolve

  constructor(resolve: SpfResolve) {
    this.#resolve = resolve
  }

  /**
   * Returns the `all` of the record at `domain`, or "none" without a record.
   * @param path the including names, to detect loops
   */
  async record(domain: string, path: readonly string[]): Promise<SpfTerm["qualifier"] | null | "none"> {
    if (path.includes(domain)) throw new PermError("loop", domain)
    const answer = await this.#query(domain, "TXT", path.length > 0)
    const texts = answer.kind === "records" ? answer.records.map(String).filter(isSpf) : []
    if (texts.length === 0) return "none"
    if (texts.length > 1) throw new PermError("several_records", domain)
    const record = readSpfRecord(texts[0]!)
    if (!record.ok) throw new PermError("syntax", domain)
    for (const term of record.terms) await this.#follow(term, domain, [...path, domain])
    return this.#finalQualifier(record.terms, domain, [...path, domain])
  }

  async #follow(term: SpfTerm, domain: string, path: readonly string[]): Promise<void> {
    if (!LOOKUP_TERMS.has(term.name) || term.name === "redirect") return
    this.#count(domain)
    if (term.hasMacro) return
    const target = term.target ?? domain
    if (term.name === "include") {
      if ((await this.record(target, path)) === "none") throw new PermError("include_without_record", target)
    } else if (term.name === "mx") await this.#queryMailHosts(target)
    else if (term.name === "a") await this.#queryHost(target)
  }

  /** A record with `all` has no redirect here (§5.1). */
  async #finalQualifier(terms: readonly SpfTerm[], domain: string, path: readonly string[]) {
    const all = terms.find(({ name }) => name === "all")
    if (all) return all.qualifier
    const redirect = terms.find(({ name }) => name === "redirect")
    if (!redirect) return null
    this.#count(domain)
    if (redirect.hasMacro || redirect.target === null) return null
    const found = await this.record(redirect.target, path)
    if (found === "none") throw new PermError("include_without_record", redirect.target)
    return found
  }

  #count(domain: string): void {
    if (++this.lookups > MAX_LOOKUPS) throw new PermError("too_many_lookups", domain)
  }

  async #queryMailHosts(name: string): Promise<void> {
    const answer = await this.#query(name, "MX", true)
    if (answer.kind === "records" && answer.records.length > MAX_MAIL_HOSTS)
      throw new PermError("too_many_lookups", name)
  }

  /** A host is void only without any address, because an IPv6 sender would query the other type. */
  async #queryHost(name: string): Promise<void> {
    const four = await this.#query(name, "A", false)
    if (four.kind !== "records") await this.#query(name, "AAAA", true)
  }

  async #query(name: string, type: "TXT" | "A" | "AAAA" | "MX", countsVoid: boolean): Promise<SpfAnswer> {
    const answer = await this.#resolve(name, type)
    if (answer.kind === "failure") throw new TempError()
    if (answer.kind !== "records" && countsVoid && ++this.#voids > MAX_VOID_LOOKUPS)
      throw new PermError("too_many_void_lookups", name)
    return answer
  }
}
