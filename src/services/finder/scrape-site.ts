import type { SiteScrape } from "../../adapters/store/formats.ts"
import type { Deps } from "../../deps.ts"
import { type MinedEmail, mineEmails } from "../../domain/extract/mine-emails.ts"
import { readName } from "../../domain/names/person-name.ts"
import { learnFormats } from "./learn-formats.ts"

export type ScrapeNeeds = Pick<Deps, "pages" | "formats" | "digests" | "clock">

export interface ScrapeResult extends SiteScrape {
  readonly fromCache: boolean
}

const WEEK_MS = 7 * 24 * 3_600_000
/** A site that was out of reach is tried again soon. */
const FAILURE_MS = 3_600_000
const MOST_EMAILS = 500

/** The addresses a company shows on its own pages, read at most once a week, and what they teach of its formats. */
export async function scrapeSite(needs: ScrapeNeeds, domain: string): Promise<ScrapeResult> {
  const now = needs.clock.now()
  const kept = await needs.formats.scrape(domain)
  if (kept && kept.expiresAt > now) return { ...kept, fromCache: true }
  const visit = await needs.pages.visit(domain)
  const pages = visit.kind === "read" ? visit.pages : []
  const emails = ownEmails(
    pages.map(({ text }) => text),
    domain,
  )
  const lifetime = visit.kind === "unreachable" || visit.kind === "blocked" ? FAILURE_MS : WEEK_MS
  const scrape = { outcome: visit.kind, pages: pages.length, emails, fetchedAt: now, expiresAt: now + lifetime }
  await needs.formats.saveScrape(domain, scrape)
  await learnFormats(needs, { domain, source: "scraped", samples: emails.map(sampleOf) })
  return { ...scrape, fromCache: false }
}

/** Each address once, also when several pages show it; the one that names its owner stays. */
function ownEmails(pages: readonly string[], domain: string): MinedEmail[] {
  const found = new Map<string, MinedEmail>()
  for (const page of pages)
    for (const mined of mineEmails(page, domain)) {
      const key = mined.email.toLowerCase()
      const isOwn = key.endsWith(`@${domain}`)
      if (isOwn && (!found.has(key) || found.get(key)!.label === "")) found.set(key, mined)
    }
  return [...found.values()].slice(0, MOST_EMAILS)
}

function sampleOf({ email, label }: MinedEmail) {
  const localPart = email.slice(0, email.lastIndexOf("@"))
  const words = label.split(" ")
  const [firstName, lastName] = [words[0] ?? "", words.slice(1).join(" ")]
  return readName(firstName, lastName).name ? { localPart, firstName, lastName } : { localPart }
}
