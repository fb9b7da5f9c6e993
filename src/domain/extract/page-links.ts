import { decodeEntities } from "./html-text.ts"

/** Words in the addresses of pages that show people or ways to reach them, the most telling first. */
const TELLING = [
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

/** Paths looked for when a site's first page does not link to them. */
export const USUAL_PATHS = ["/contact", "/about", "/team", "/impressum", "/contact-us", "/about-us"]

/** Links of a page that stay on its host, the most telling first and each once. Without query or fragment, so that a calendar has an end. */
export function pageLinks(html: string, page: URL): string[] {
  const links = new Map<string, number>()
  let seen = 0
  for (const [, quoted, single, bare] of html.matchAll(LINK)) {
    if (++seen > MOST_LINKS) break
    const target = decodeEntities(quoted ?? single ?? bare ?? "").trim()
    if (/^(?:mailto|tel|javascript|data):/i.test(target) || !URL.canParse(target, page.href)) continue
    const url = new URL(target, page.href)
    if (url.hostname !== page.hostname || !/^https?:$/.test(url.protocol)) continue
    const rank = TELLING.findIndex((word) => url.pathname.toLowerCase().includes(word))
    if (rank >= 0 && url.pathname !== page.pathname) links.set(url.pathname, rank)
  }
  return [...links].toSorted(([, a], [, b]) => a - b).map(([path]) => path)
}
