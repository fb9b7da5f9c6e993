import { decodeEntities } from "./html-text.ts"

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
