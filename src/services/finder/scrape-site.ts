import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { SiteScrape } from "../../adapters/store/finder/formats.ts"
import type { Context } from "../../context.ts"
import { type MinedEmail, mineEmails } from "../../domain/finder/mine-emails.ts"
import { readName } from "../../domain/finder/person-name.ts"
import { chargeCredits, pricesFor } from "../accounts/charge.ts"
import { learnFormats } from "./formats.ts"

/** Reads a company's site and charges a credit only when the site was fetched now. */
export function scrapeDomain(
  ctx: Context,
  meter: UsageMeter,
  { domain, accountId }: { domain: string; accountId: string | null },
): Promise<ScrapeResult> {
  const most = pricesFor(ctx, accountId).ofWork({ domain }, 1)
  const costOf = ({ fromCache, outcome }: ScrapeResult) => (!fromCache && outcome === "read" ? 1 : 0)
  return chargeCredits(meter, { most, costOf }, () => scrapeSite(ctx, domain))
}

export interface ScrapeResult extends SiteScrape {
  readonly fromCache: boolean
}

const WEEK_MS = 7 * 24 * 3_600_000
/** An unreachable site is tried again soon. */
const FAILURE_MS = 3_600_000
const MOST_EMAILS = 500

/** Collects the addresses on a company's pages, at most once a week, as samples of its formats. */
export async function scrapeSite(ctx: Context, domain: string): Promise<ScrapeResult> {
  const now = ctx.clock.now()
  const stored = await ctx.store.formats.scrape(domain)
  if (stored && stored.expiresAt > now) return { ...stored, fromCache: true }
  const visit = await ctx.pages.visit(domain)
  const pages = visit.kind === "read" ? visit.pages : []
  const emails = ownEmails(
    pages.map(({ text }) => text),
    domain,
  )
  const lifetime = visit.kind === "unreachable" || visit.kind === "blocked" ? FAILURE_MS : WEEK_MS
  const scrape = { outcome: visit.kind, pages: pages.length, emails, fetchedAt: now, expiresAt: now + lifetime }
  await ctx.store.formats.saveScrape(domain, scrape)
  await learnFormats(ctx, [{ domain, source: "scraped", samples: emails.map(sampleOf) }])
  return { ...scrape, fromCache: false }
}

/** Each address appears once. The entry with its owner's name wins. */
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
