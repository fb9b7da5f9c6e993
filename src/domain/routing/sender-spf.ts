import ipaddr from "ipaddr.js"
import type { SpfResolve } from "../mail-auth/spf.ts"
import { isSpf, readSpfRecord } from "../mail-auth/spf-record.ts"

export type SpfResult = "pass" | "fail" | "softfail" | "neutral" | "none" | "permerror" | "unknown"

const QUALIFIERS: Readonly<Record<string, SpfResult>> = { "+": "pass", "-": "fail", "~": "softfail", "?": "neutral" }
const TERM = /^([+\-~?]?)(all|ip4|ip6|a|mx|include|exists|ptr)(?::([^/]+))?(?:\/(\d+))?(?:\/\/(\d+))?$/i
const MAX_LOOKUPS = 10

/**
 * Evaluates SPF (RFC 7208) for mail from `ip` with a sender at `domain`. Macros, `exists` and `ptr` are not
 * supported: the result is `unknown` where one of them decides.
 */
export async function evaluateSpf(domain: string, ip: string, resolve: SpfResolve): Promise<SpfResult> {
  return ipaddr.isValid(ip) ? new Evaluation(ipaddr.process(ip), resolve).record(domain) : "unknown"
}

type Address = ReturnType<typeof ipaddr.process>

class Evaluation {
  readonly #ip: Address
  readonly #resolve: SpfResolve
  #lookups = 0

  constructor(ip: Address, resolve: SpfResolve) {
    this.#ip = ip
    this.#resolve = resolve
  }

  async record(domain: string): Promise<SpfResult> {
    const answer = await this.#resolve(domain, "TXT")
    if (answer.kind === "failure") return "unknown"
    const texts = answer.kind === "records" ? answer.records.map(String) : []
    const records = texts.filter(isSpf)
    if (records.length === 0) return "none"
    if (records.length > 1 || !readSpfRecord(records[0]!).ok) return "permerror"
    const words = records[0]!
      .split(/ +/)
      .slice(1)
      .filter((word) => word !== "")
    for (const word of words) {
      const matched = await this.#term(word, domain)
      if (matched !== null) return matched
    }
    const redirect = words.find((word) => /^redirect=/i.test(word))?.slice("redirect=".length)
    return redirect === undefined ? "neutral" : this.#below(redirect)
  }

  /** The result if this term decides; null to continue with the next term. */
  async #term(word: string, domain: string): Promise<SpfResult | null> {
    if (/^[a-z][a-z0-9._-]*=/i.test(word)) return null
    const match = TERM.exec(word)
    if (!match) return "permerror"
    const [, sign = "", name = "", target, length, length6] = match
    const result = QUALIFIERS[sign || "+"]!
    if (name !== "all" && (target ?? "").includes("%")) return "unknown"
    switch (name.toLowerCase()) {
      case "all":
        return result
      case "ip4":
      case "ip6":
        return this.#isIn(target ?? "", length) ? result : null
      case "include": {
        const included = await this.#below(target ?? "")
        if (included === "pass") return result
        return included === "unknown" || included === "permerror" ? included : null
      }
      case "a":
      case "mx":
        return this.#hosts(name.toLowerCase(), target ?? domain, this.#ip.kind() === "ipv4" ? length : length6, result)
      default:
        return "unknown"
    }
  }

  async #below(domain: string): Promise<SpfResult> {
    if (++this.#lookups > MAX_LOOKUPS) return "permerror"
    const result = await this.record(domain.toLowerCase())
    return result === "none" ? "permerror" : result
  }

  async #hosts(kind: string, target: string, length: string | undefined, result: SpfResult) {
    if (++this.#lookups > MAX_LOOKUPS) return "permerror"
    let hosts = [target]
    if (kind === "mx") {
      const mx = await this.#resolve(target, "MX")
      if (mx.kind === "failure") return "unknown"
      hosts = mx.kind === "records" ? mx.records.map((record) => (record as { host: string }).host) : []
    }
    const type = this.#ip.kind() === "ipv4" ? "A" : "AAAA"
    for (const host of hosts.slice(0, MAX_LOOKUPS)) {
      const answer = await this.#resolve(host, type)
      if (answer.kind === "failure") return "unknown"
      if (answer.kind === "records" && answer.records.some((address) => this.#isIn(String(address), length)))
        return result
    }
    return null
  }

  /** @param length prefix length of the network; undefined for a single address */
  #isIn(network: string, length: string | undefined): boolean {
    if (!ipaddr.isValid(network)) return false
    const parsed = ipaddr.process(network)
    if (parsed.kind() !== this.#ip.kind()) return false
    return this.#ip.match(parsed, Number(length ?? (parsed.kind() === "ipv4" ? 32 : 128)))
  }
}
