import { getDomain } from "tldts"
import {
  ALLOW_ALL,
  ALLOW_NOTHING,
  pageLinks,
  type RobotsRules,
  readRobots,
  USUAL_PATHS,
} from "../domain/finder/web-page.ts"
import type { Clock } from "./platform.ts"
import type { Web, WebAnswer } from "./safe-fetch.ts"

interface Page {
  readonly url: URL
  readonly text: string
}

type SiteVisit =
  | { readonly kind: "read"; readonly pages: readonly Page[] }
  | { readonly kind: "disallowed" } // robots.txt forbids the pages
  | { readonly kind: "no_site" }
  | { readonly kind: "unreachable" }
  | { readonly kind: "blocked" } // an address that is not public, or another company's site

export interface Pages {
  /** Fetches a few public pages of a company one after the other, within the rules of robots.txt. Never rejects. */
  visit(domain: string): Promise<SiteVisit>
}

/** The crawler's name in robots.txt. */
const CRAWLER = "mailverdict"
const MAX_PAGES = 10
const MAX_TEXT = 512 * 1024
const BUDGET_MS = 12_000
/** RFC 9309 §2.3.1.3: robots.txt may redirect. More redirects count as an error. */
const ROBOTS_REDIRECTS = 3

export function createPages({ web, clock }: { web: Web; clock: Clock }): Pages {
  return {
    async visit(domain) {
      const deadlineAt = clock.now() + BUDGET_MS
      const site = await findSite(web, domain)
      if (typeof site === "string") return { kind: site }
      const { base, robots } = site
      if (!robots.allows("/")) return { kind: "disallowed" }
      const pages = await crawl({ web, robots, isOver: () => clock.now() >= deadlineAt }, base)
      return pages.length > 0 ? { kind: "read", pages } : { kind: "unreachable" }
    },
  }
}

interface Site {
  readonly base: URL
  readonly robots: RobotsRules
}

/**
 * Finds a company's site and its rules. HTTPS comes before HTTP, the bare domain before "www".
 * robots.txt is fetched first: no other page is requested before its rules are known.
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

/** A missing file allows everything; a server error allows nothing (RFC 9309 §2.3.1). */
function rulesOf({ status, text }: Extract<WebAnswer, { kind: "answer" }>): RobotsRules {
  if (status >= 500) return ALLOW_NOTHING
  return status >= 400 ? ALLOW_ALL : readRobots(text, CRAWLER)
}

interface Crawl {
  readonly web: Web
  readonly robots: RobotsRules
  readonly isOver: () => boolean
}

/** Reads the home page, then linked pages that may show people or contact details. */
async function crawl({ web, robots, isOver }: Crawl, base: URL): Promise<Page[]> {
  const pages: Page[] = []
  const queue = ["/"]
  const seen = new Set(queue)
  let charactersLeft = MAX_TEXT
  for (let requested = 0; requested < MAX_PAGES && queue.length > 0 && charactersLeft > 0 && !isOver(); requested++) {
    const path = queue.shift()!
    const answer = await web.get(new URL(path, base).href)
    if (answer.kind === "answer" && isReadable(answer, { robots, base })) {
      const text = answer.text.slice(0, charactersLeft)
      charactersLeft -= text.length
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

/** Whether the URL has the same registrable domain. A redirect to another site says nothing about the company. */
function isOwnSite(url: URL, domain: string): boolean {
  const own = getDomain(domain) ?? domain
  return url.hostname === own || url.hostname.endsWith(`.${own}`)
}
