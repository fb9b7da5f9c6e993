import { getDomain } from "tldts"
import { pageLinks, USUAL_PATHS } from "../../domain/extract/page-links.ts"
import { ALLOW_ALL, ALLOW_NOTHING, type RobotsRules, readRobots } from "../../domain/extract/robots.ts"
import type { Clock } from "../platform.ts"
import type { Web, WebAnswer } from "../web/safe-fetch.ts"

interface Page {
  readonly url: URL
  readonly text: string
}

type SiteVisit =
  | { readonly kind: "read"; readonly pages: readonly Page[] }
  | { readonly kind: "disallowed" } // robots.txt forbids what we would look at
  | { readonly kind: "no_site" }
  | { readonly kind: "unreachable" }
  | { readonly kind: "blocked" } // an address that is not public, or another company's site

export interface Pages {
  /** Reads a company's own public pages, politely: as robots.txt says, few of them, one after the other. Never rejects. */
  visit(domain: string): Promise<SiteVisit>
}

/** Our name in robots.txt. */
const CRAWLER = "mailverdict"
const MAX_PAGES = 10
const MAX_TEXT = 512 * 1024
const BUDGET_MS = 12_000
/** RFC 9309 §2.3.1.3: the file may redirect; more than this is trouble. */
const ROBOTS_REDIRECTS = 3

export function createPages({ web, clock }: { web: Web; clock: Clock }): Pages {
  return {
    async visit(domain) {
      const wallAt = clock.now() + BUDGET_MS
      const site = await findSite(web, domain)
      if (typeof site === "string") return { kind: site }
      const { base, robots } = site
      if (!robots.allows("/")) return { kind: "disallowed" }
      const pages = await crawl({ web, robots, isOver: () => clock.now() >= wallAt }, base)
      return pages.length > 0 ? { kind: "read", pages } : { kind: "unreachable" }
    },
  }
}

interface Site {
  readonly base: URL
  readonly robots: RobotsRules
}

/**
 * Where a company's site is and what it allows: HTTPS before HTTP, the domain itself before "www". robots.txt comes
 * first: nothing else of a site is asked for before its rules are known.
 */
async function findSite(web: Web, domain: string): Promise<Site | "no_site" | "unreachable" | "blocked"> {
  const kinds: WebAnswer["kind"][] = []
  for (const start of [`https://${domain}/`, `http://${domain}/`, `https://www.${domain}/`]) {
    const answer = await web.get(new URL("/robots.txt", start).href, { maxRedirects: ROBOTS_REDIRECTS })
    if (answer.kind === "answer")
      return isOwnSite(answer.url, domain) ? { base: new URL("/", answer.url), robots: rulesOf(answer) } : "blocked"
    if (answer.kind === "blocked") return "blocked"
    kinds.push(answer.kind)
  }
  return kinds.every((kind) => kind === "no_address") ? "no_site" : "unreachable"
}

/** No file allows everything, a server in trouble nothing (RFC 9309 §2.3.1). */
function rulesOf({ status, text }: Extract<WebAnswer, { kind: "answer" }>): RobotsRules {
  if (status >= 500) return ALLOW_NOTHING
  return status >= 400 ? ALLOW_ALL : readRobots(text, CRAWLER)
}

interface Crawl {
  readonly web: Web
  readonly robots: RobotsRules
  readonly isOver: () => boolean
}

/** The first page, then those it links to that show people or ways to reach them. */
async function crawl({ web, robots, isOver }: Crawl, base: URL): Promise<Page[]> {
  const pages: Page[] = []
  const queue = ["/"]
  const seen = new Set(queue)
  let room = MAX_TEXT
  for (let asked = 0; asked < MAX_PAGES && queue.length > 0 && room > 0 && !isOver(); asked++) {
    const path = queue.shift()!
    const answer = await web.get(new URL(path, base).href)
    if (answer.kind === "answer" && isReadable(answer, { robots, base })) {
      const text = answer.text.slice(0, room)
      room -= text.length
      pages.push({ url: answer.url, text })
      const links = pageLinks(text, answer.url)
      const further = path === "/" && links.length === 0 ? USUAL_PATHS : links
      for (const link of further)
        if (!seen.has(link) && robots.allows(link) && queue.length < MAX_PAGES) {
          seen.add(link)
          queue.push(link)
        }
    }
  }
  return pages
}

function isReadable(
  { status, contentType, url }: Extract<WebAnswer, { kind: "answer" }>,
  { robots, base }: { robots: RobotsRules; base: URL },
): boolean {
  const isText = contentType === "" || contentType.startsWith("text/") || contentType === "application/xhtml+xml"
  return status === 200 && isText && isOwnSite(url, base.hostname) && robots.allows(url.pathname)
}

/** The same registrable domain; a redirect to somebody else's site says nothing about the company. */
function isOwnSite(url: URL, domain: string): boolean {
  const own = getDomain(domain) ?? domain
  return url.hostname === own || url.hostname.endsWith(`.${own}`)
}
