/** Words in the paths of pages with people or contact details, the most relevant first. */
const RELEVANT_WORDS = [
  "contact",
  "kontakt",
  "contatt",
  "contacto",
  "contato",
  "impressum",
  "imprint",
  "mentions-legales",
  "team",
  "people",
  "staff",
  "equipe",
  "equipo",
  "about",
  "ueber-uns",
  "uber-uns",
  "a-propos",
  "chi-siamo",
  "quienes-somos",
  "leadership",
  "management",
  "directory",
  "who-we-are",
  "our-company",
  "legal",
  "privacy",
  "datenschutz",
  "press",
  "careers",
  "support",
  "help",
]
const LINK = /<a\b[^<>]{0,500}?href\s*=\s*(?:"([^"<>]{1,500})"|'([^'<>]{1,500})'|([^\s"'<>]{1,500}))/gi
const MOST_LINKS = 500

/** Paths to fetch when a site's home page does not link to them. */
export const USUAL_PATHS = ["/contact", "/about", "/team", "/impressum", "/contact-us", "/about-us"]

/**
 * Returns the relevant links of a page on the same host, the most relevant first and each once.
 * Query and fragment are dropped, so that a calendar does not give endless links.
 */
export function pageLinks(html: string, page: URL): string[] {
  const links = new Map<string, number>()
  let seen = 0
  for (const [, quoted, single, bare] of html.matchAll(LINK)) {
    if (++seen > MOST_LINKS) break
    const target = decodeEntities(quoted ?? single ?? bare ?? "").trim()
    if (/^(?:mailto|tel|javascript|data):/i.test(target) || !URL.canParse(target, page.href)) continue
    const url = new URL(target, page.href)
    if (url.hostname !== page.hostname || !/^https?:$/.test(url.protocol)) continue
    const rank = RELEVANT_WORDS.findIndex((word) => url.pathname.toLowerCase().includes(word))
    if (rank >= 0 && url.pathname !== page.pathname) links.set(url.pathname, rank)
  }
  return [...links].toSorted(([, a], [, b]) => a - b).map(([path]) => path)
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  commat: "@",
  period: ".",
  lowbar: "_",
  hyphen: "-",
  plus: "+",
  shy: "",
  zwnj: "",
  ZeroWidthSpace: "",
}

/** Invisible characters, which sites insert between letters to hide an address from programs. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g

/** Decodes character references (HTML §13.5). Unknown ones stay unchanged. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,16}));?/g,
    (whole, decimal, hex, name: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : ""
    },
  )
}

/**
 * Returns the visible text of a page, without scripts, styles, comments and hidden decoys. Inline tags are removed.
 * Every other tag becomes a line break. Character references are decoded.
 */
export function visibleText(html: string): string {
  const shown = html
    .replace(/<([^<>\s="']{1,64}@[^<>\s="']{1,190})>/g, " $1 ")
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .replace(/<(script|style|noscript|template|svg)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, " ")
    .replace(/<(?:span|i|b|em)\b[^<>]{0,200}display\s*:\s*none[^<>]{0,200}>[^<]{0,200}<\/[a-z]{1,4}>/gi, "")
    .replace(/<\/?(?:a|abbr|b|bdi|bdo|em|font|i|mark|small|span|strong|sub|sup|u|wbr)\b[^<>]*>/gi, "")
    .replace(/<[a-z/!][^<>]*>/gi, "\n")
  return decodeEntities(shown).replace(INVISIBLE, "")
}

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
