import { parse } from "tldts"
import { slipCost } from "./edit-distance.ts"

/** Reserved or private names that exist nowhere in the DNS root, and are no typos (RFC 6761, RFC 9476, everyday use). */
const PRIVATE_NAMES = new Set(
  "alt corp example home host intern internal intranet invalid lan local localdomain localhost onion private test".split(
    " ",
  ),
)

/** Suffixes people mean, most frequent first, each with the largest cost of slips that is still believed. */
const SUFFIXES: readonly (readonly [suffix: string, limit: number])[] = [
  ["com", 1.15],
  ["net", 0.9],
  ["org", 0.9],
  ["co.uk", 1.15],
  ["com.br", 0.9],
  ["com.au", 0.9],
  ["co.jp", 0.9],
  ["co.za", 0.9],
  ["co.nz", 0.9],
  ["co.in", 0.9],
  ["com.mx", 0.9],
  ["com.ar", 0.9],
  ["com.tr", 0.9],
  ["edu", 0.75],
  ["gov", 0.75],
  ["info", 0.9],
  ["biz", 0.65],
]

/** A typed suffix may hide in the last two labels ("co.um") or run together ("couk"). */
const DISPLACED: readonly (readonly [RegExp, string])[] = [
  [/(?<=.[a-z0-9])\.?c\.?o\.?\.?m$/, ".com"],
  [/(?<=.[a-z0-9])\.?n\.?e\.?t$/, ".net"],
  [/(?<=.[a-z0-9])\.?o\.?r\.?g$/, ".org"],
]

/** Top-level domains that stand where ".com" or ".net" lost or swapped a character more often than for themselves. */
const HALF_SUFFIX = /[a-z]c\.om$|[a-z]n\.et$|[a-z]co\.m$/

interface DomainUnderSuffix {
  readonly domain: string
  readonly cost: number
}

export function isSuffix(suffix: string): boolean {
  const { publicSuffix, isIcann } = parse(`x.${suffix}`, { allowPrivateDomains: false })
  return isIcann === true && publicSuffix === suffix
}

/** Whether the last label is in the DNS root, or is reserved so that it never will be. */
export function topLevelExists(domain: string): boolean {
  const last = domain.slice(domain.lastIndexOf(".") + 1)
  return PRIVATE_NAMES.has(last) || parse(`x.${last}`, { allowPrivateDomains: false }).isIcann === true
}

/** The domain under the suffix that was most likely meant, for a domain whose top-level domain does not exist. */
export function repairSuffix(domain: string): DomainUnderSuffix | null {
  if (/\.com\.com$/.test(domain)) return { domain: domain.slice(0, -4), cost: 0.5 }
  const isHalf = HALF_SUFFIX.test(domain)
  if (topLevelExists(domain) && !isHalf) return null
  const moved = isHalf || !domain.includes(".") ? displaced(domain) : null
  const repaired = moved ?? nearestSuffix(domain) ?? cutAfterCom(domain) ?? displaced(domain)
  return repaired && { ...repaired, domain: repaired.domain.replace(/\.com\.com$/, ".com") }
}

/** "example.comcom", "example.com-com", "example.comthx": what follows ".com" belongs to the next word. */
function cutAfterCom(domain: string): DomainUnderSuffix | null {
  const cut = /^(.+\.com)-?[a-z0-9]{1,4}$/.exec(domain)?.[1]
  return cut ? { domain: cut, cost: 0.55 } : null
}

function displaced(domain: string): DomainUnderSuffix | null {
  for (const [pattern, suffix] of DISPLACED) {
    const repaired = domain.replace(pattern, suffix)
    if (repaired !== domain && repaired.length > suffix.length + 1) return { domain: repaired, cost: 0.6 }
  }
  return null
}

function nearestSuffix(domain: string): DomainUnderSuffix | null {
  const labels = domain.split(".")
  let best: DomainUnderSuffix | null = null
  for (const depth of [1, 2]) {
    if (labels.length <= depth) break
    const typed = labels.slice(-depth).join(".")
    const stem = labels.slice(0, -depth).join(".")
    for (const [suffix, limit] of SUFFIXES) {
      const cost = slipCost(typed, suffix, limit)
      if (cost < (best?.cost ?? Infinity)) best = { domain: `${stem}.${suffix}`, cost }
    }
  }
  return best
}
