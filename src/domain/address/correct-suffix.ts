import { parse } from "tldts"
import { topLevelExists } from "../reference/active-lists.ts"
import { typingErrorCost } from "./edit-distance.ts"

/** Names of private networks, which are not typos although the root zone lacks them. */
const PRIVATE_NAMES = new Set(["intern", "localdomain"])

/** Intended suffixes, the most frequent first, each with the maximum cost of its typos. */
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

/** Suffixes with a missing or misplaced dot ("c.om", "examplecom"). */
const DISPLACED: readonly (readonly [RegExp, string])[] = [
  [/(?<=.[a-z0-9])\.?c\.?o\.?\.?m$/, ".com"],
  [/(?<=.[a-z0-9])\.?n\.?e\.?t$/, ".net"],
  [/(?<=.[a-z0-9])\.?o\.?r\.?g$/, ".org"],
]

/** Existing top-level domains that are more often ".com" or ".net" with a missing or swapped character. */
const HALF_SUFFIX = /[a-z]c\.om$|[a-z]n\.et$|[a-z]co\.m$/

interface DomainUnderSuffix {
  readonly domain: string
  readonly cost: number
}

export function isSuffix(suffix: string): boolean {
  const { publicSuffix, isIcann } = parse(`x.${suffix}`, { allowPrivateDomains: false })
  return isIcann === true && publicSuffix === suffix
}

/** Whether the last label is in the DNS root, or is a reserved or private name. */
export function endsInKnownName(domain: string): boolean {
  const last = domain.slice(domain.lastIndexOf(".") + 1)
  return PRIVATE_NAMES.has(last) || topLevelExists(last) !== false
}

/** Returns the domain under the suffix that was probably meant. Null when its top-level domain exists. */
export function repairSuffix(domain: string): DomainUnderSuffix | null {
  if (/\.com\.com$/.test(domain)) return { domain: domain.slice(0, -4), cost: 0.5 }
  const isHalf = HALF_SUFFIX.test(domain)
  if (endsInKnownName(domain) && !isHalf) return null
  const moved = isHalf || !domain.includes(".") ? displaced(domain) : null
  const repaired = moved ?? nearestSuffix(domain) ?? cutAfterCom(domain) ?? displaced(domain)
  return repaired && { ...repaired, domain: repaired.domain.replace(/\.com\.com$/, ".com") }
}

/** Cuts the text after ".com" in "example.comcom", "example.com-com" and "example.comthx". */
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
      const cost = typingErrorCost(typed, suffix, limit)
      if (cost < (best?.cost ?? Infinity)) best = { domain: `${stem}.${suffix}`, cost }
    }
  }
  return best
}
