import { count, desc, eq, sql } from "drizzle-orm"
import { domainFormats, formatSamples, siteScrapes } from "../../../../schema/tables/formats.ts"
import type { Format } from "../../../domain/finder/formats.ts"
import type { LearnedSample, SampleSource } from "../../../domain/finder/learned-formats.ts"
import type { MinedEmail } from "../../../domain/finder/mine-emails.ts"
import type { Database } from "../database.ts"

export interface NewSample extends LearnedSample {
  /** Keyed hash of the local part. */
  readonly digest: string
}

/** The most likely format of a domain, for lists. */
interface FormatSummary {
  readonly domain: string
  readonly format: Format
  readonly confidence: number
  readonly sampleCount: number
  /** Unix milliseconds. */
  readonly updatedAt: number
}

/** The result of crawling a company's own pages. */
export interface SiteScrape {
  readonly outcome: ScrapeOutcome
  /** Pages read. */
  readonly pages: number
  readonly emails: readonly MinedEmail[]
  /** Unix milliseconds, both. */
  readonly fetchedAt: number
  readonly expiresAt: number
}

type ScrapeOutcome = "read" | "disallowed" | "no_site" | "unreachable" | "blocked"

export interface FormatStore {
  /** The latest samples of a domain. */
  samples(domain: string): Promise<LearnedSample[]>
  /** Adds samples; a repeated sample is renewed. */
  addSamples(domain: string, samples: readonly NewSample[]): Promise<void>
  saveSummary(summary: FormatSummary): Promise<void>
  /** Domains, those with the most samples first. */
  list(page: { limit: number; offset: number }): Promise<{ total: number; formats: FormatSummary[] }>
  /** The last crawl, fresh or not. */
  scrape(domain: string): Promise<SiteScrape | null>
  saveScrape(domain: string, scrape: SiteScrape): Promise<void>
}

/** More samples do not change the format of a domain. */
const MOST_SAMPLES = 300

export function createFormatStore(database: Database): FormatStore {
  return {
    async samples(domain) {
      const rows = await database
        .select()
        .from(formatSamples)
        .where(eq(formatSamples.domain, domain))
        .orderBy(desc(formatSamples.learnedAt))
        .limit(MOST_SAMPLES)
      return rows.map(({ shares, source, learnedAt }) => ({
        shares: new Map(Object.entries(shares) as [Format, number][]),
        source: source as SampleSource,
        learnedAt,
      }))
    },

    async addSamples(domain, samples) {
      const rows = samples.map(({ digest, shares, source, learnedAt }) => [
        digest,
        JSON.stringify(Object.fromEntries(shares)),
        source,
        learnedAt,
      ])
      await database.run(sql`INSERT INTO format_samples (domain, digest, shares, source, learned_at)
        SELECT ${domain}, value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(${JSON.stringify(rows)})
        WHERE true ON CONFLICT (domain, digest)
        DO UPDATE SET shares = excluded.shares, source = excluded.source, learned_at = excluded.learned_at`)
    },

    async saveSummary(summary) {
      await database
        .insert(domainFormats)
        .values(summary)
        .onConflictDoUpdate({ target: domainFormats.domain, set: summary })
    },

    async list({ limit, offset }) {
      const [totals, rows] = await database.batch([
        database.select({ total: count() }).from(domainFormats),
        database
          .select()
          .from(domainFormats)
          .orderBy(desc(domainFormats.sampleCount), domainFormats.domain)
          .limit(limit)
          .offset(offset),
      ])
      return { total: totals[0]?.total ?? 0, formats: rows.map((row) => ({ ...row, format: row.format as Format })) }
    },

    async scrape(domain) {
      const row = (await database.select().from(siteScrapes).where(eq(siteScrapes.domain, domain)))[0]
      if (!row) return null
      const { outcome, pages, emails, fetchedAt, expiresAt } = row
      return { outcome: outcome as ScrapeOutcome, pages, emails: emails as readonly MinedEmail[], fetchedAt, expiresAt }
    },

    async saveScrape(domain, { outcome, pages, emails, fetchedAt, expiresAt }) {
      const set = { outcome, pages, emails, fetchedAt, expiresAt }
      await database
        .insert(siteScrapes)
        .values({ domain, ...set })
        .onConflictDoUpdate({ target: siteScrapes.domain, set })
    },
  }
}
