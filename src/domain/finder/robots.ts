/** The rules of a robots.txt for a crawler (RFC 9309). */
export interface RobotsRules {
  allows(path: string): boolean
}

interface Rule {
  readonly allow: boolean
  readonly pattern: string
}

const MAX_LINES = 5_000
const MAX_PATTERN = 500

/** For a site without robots.txt (§2.3.1.3). */
export const ALLOW_ALL: RobotsRules = { allows: () => true }
/** For a temporarily unreachable robots.txt (§2.3.1.4). */
export const ALLOW_NOTHING: RobotsRules = { allows: () => false }

/**
 * Reads a robots.txt. Groups that name the crawler apply, else the groups for "*". The longest matching path decides.
 * "allow" decides between equally long paths (§2.2.2).
 * @param product token of the crawler, lower-case
 */
export function readRobots(text: string, product: string): RobotsRules {
  const groups = { own: [] as Rule[], all: [] as Rule[] }
  let isOwnNamed = false
  let agents: string[] = []
  let inRules = false
  for (const line of text.split(/\r\n|\r|\n/).slice(0, MAX_LINES)) {
    const [, field = "", value = ""] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? []
    const name = field.toLowerCase()
    if (name === "user-agent") {
      if (inRules) agents = []
      inRules = false
      agents.push(value.trim().toLowerCase())
      isOwnNamed ||= agents.includes(product)
    } else if (name === "allow" || name === "disallow") {
      inRules = true
      const pattern = value.trim().slice(0, MAX_PATTERN)
      if (pattern === "") continue
      if (agents.includes(product)) groups.own.push({ allow: name === "allow", pattern })
      if (agents.includes("*")) groups.all.push({ allow: name === "allow", pattern })
    }
  }
  const rules = isOwnNamed ? groups.own : groups.all
  return { allows: (path) => path === "/robots.txt" || decide(rules, path) }
}

function decide(rules: readonly Rule[], path: string): boolean {
  let best: Rule | null = null
  for (const rule of rules) {
    if (
      best &&
      (rule.pattern.length < best.pattern.length || (rule.pattern.length === best.pattern.length && best.allow))
    )
      continue
    if (matches(rule.pattern, path)) best = rule
  }
  return best?.allow ?? true
}

/** `*` matches any characters, a final `$` the end. Each piece takes the first match, so the time is linear. */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith("$")
  const pieces = (isAnchored ? pattern.slice(0, -1) : pattern).split("*")
  if (!path.startsWith(pieces[0]!)) return false
  let at = pieces[0]!.length
  for (const [index, piece] of pieces.entries()) {
    if (index === 0) continue
    const isLast = index === pieces.length - 1
    const found = isAnchored && isLast ? path.length - piece.length : path.indexOf(piece, at)
    if (found < at || !path.startsWith(piece, found)) return false
    at = found + piece.length
  }
  return !isAnchored || at === path.length
}
