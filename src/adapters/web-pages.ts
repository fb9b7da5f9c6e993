import { getDomain } from "tldts"
import { isInSandbox, isPublicAddress, type SandboxNetwork } from "../../schema/wire/addresses.ts"
import { addressesOf } from "../domain/dns/hosts.ts"
import {
  ALLOW_ALL,
  ALLOW_NOTHING,
  pageLinks,
  type RobotsRules,
  readRobots,
  USUAL_PATHS,
} from "../domain/finder/web-page.ts"
import type { Dns } from "./dns/resolver.ts"
import { readText } from "./external-calls.ts"
import type { OutboundFetch } from "./outbound.ts"
import type { Clock } from "./platform.ts"

export type WebAnswer =
  | {
      readonly kind: "answer"
      readonly status: number
      /** The final URL after redirects. */
      readonly url: URL
      readonly contentType: string
      /** The start of the body. */
      readonly text: string
    }
  | { readonly kind: "no_address" } // the name has no address at all
  | { readonly kind: "blocked" } // an address that is not public, or a URL that is not followed
  | { readonly kind: "unreachable" }
  | { readonly kind: "dns_failure" }

export type Web = ReturnType<typeof createWeb>

interface WebDeps extends OutboundFetch {
  readonly dns: Dns
  readonly sandbox: SandboxNetwork | null
  readonly userAgent: string
}

const TIMEOUT_MS = 3_000
const MAX_BYTES = 64 * 1024
const MAX_REDIRECTS = 3
const PORTS = ["", "80", "443"]

export function createWeb({ dns, fetch, fetchPublic, sandbox, userAgent }: WebDeps) {
  /** Sends one request after checking its target. A sandbox server gets the original name and scheme in headers. */
  async function fetchOnce(url: URL, signal: AbortSignal): Promise<Response | Exclude<WebAnswer, { kind: "answer" }>> {
    if (!["http:", "https:"].includes(url.protocol) || !PORTS.includes(url.port)) return { kind: "blocked" }
    if (url.username !== "" || url.password !== "" || isLiteral(url.hostname)) return { kind: "blocked" }
    const found = await addressesOf(dns, url.hostname)
    if (found === null) return { kind: "dns_failure" }
    if (found.length === 0) return { kind: "no_address" }
    const headers = { accept: "text/html,text/plain;q=0.9,*/*;q=0.1", "user-agent": userAgent }
    if (found.every((address) => isInSandbox(address, sandbox))) {
      const target = `http://${found[0]}:${sandbox?.port}${url.pathname}${url.search}`
      const forwarded = { "x-forwarded-host": url.hostname, "x-forwarded-proto": url.protocol.slice(0, -1) }
      return fetch(target, { headers: { ...headers, ...forwarded }, redirect: "manual", signal })
    }
    if (!found.every(isPublicAddress)) return { kind: "blocked" }
    return fetchPublic(url.href, { headers, redirect: "manual", signal })
  }

  return {
    /** Fetches a page of an untrusted site from public addresses, with tight limits. Never rejects. */
    async get(
      text: string,
      { maxRedirects = MAX_REDIRECTS }: { readonly maxRedirects?: number } = {},
    ): Promise<WebAnswer> {
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      try {
        let url = new URL(text)
        for (let redirects = 0; ; redirects++) {
          const response = await fetchOnce(url, signal)
          if (!(response instanceof Response)) return response
          const location = redirects < maxRedirects ? redirectOf(response) : null
          if (location === null) return await readAnswer(response, url)
          await response.body?.cancel()
          if (!URL.canParse(location, url.href)) return { kind: "blocked" }
          url = new URL(location, url.href)
        }
      } catch {
        return { kind: "unreachable" }
      }
    },
  }
}

async function readAnswer(response: Response, url: URL): Promise<WebAnswer> {
  const contentType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? ""
  return { kind: "answer", status: response.status, url, contentType, text: await readText(response, MAX_BYTES) }
}

function redirectOf({ status, headers }: Response): string | null {
  return [301, 302, 303, 307, 308].includes(status) ? headers.get("location") : null
}

/** Whether the host is an IP address or has a single label. The URL parser normalizes every IPv4 form to dotted. */
function isLiteral(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname) || !hostname.includes(".")
}

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

export type Pages = ReturnType<typeof createPages>

/** The crawler's name in robots.txt. */
const CRAWLER = "mailverdict"
const MAX_PAGES = 10
const MAX_TEXT = 512 * 1024
const BUDGET_MS = 12_000
/** RFC 9309 §2.3.1.3: robots.txt may redirect. More redirects count as an error. */
const ROBOTS_REDIRECTS = 3

export function createPages({ web, clock }: { web: Web; clock: Clock }) {
  return {
    /** Fetches a few public pages of a company one after the other, within the rules of robots.txt. Never rejects. */
    async visit(domain: string): Promise<SiteVisit> {
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

/** Finds a company's site: HTTPS before HTTP, the bare domain before "www", and robots.txt before any other page. */
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
