import { count, desc, eq, sql } from "drizzle-orm"
import { domainFormats, siteScrapes } from "../../../../schema/tables/finder.ts"
import type { LearnedSample } from "../../../domain/finder/domain-formats.ts"
import type { Format } from "../../../domain/finder/formats.ts"
import type { MinedEmail } from "../../../domain/finder/mine-emails.ts"
import type { Database } from "../database.ts"
import { jsonRows } from "../json-rows.ts"

export interface NewSample extends LearnedSample {
  readonly domain: string
  /** Keyed hash of the local part. */
  readonly digest: string
}

/** The most likely format of a domain, for lists. */
type FormatSummary = typeof domainFormats.$inferSelect & { readonly format: Format }

/** The result of crawling a company's own pages. */
export type SiteScrape = Omit<typeof siteScrapes.$inferSelect, "domain" | "outcome" | "emails"> & {
  readonly outcome: "read" | "disallowed" | "no_site" | "unreachable" | "blocked"
  readonly emails: readonly MinedEmail[]
}

/** More samples do not change the format of a domain. */
const MOST_SAMPLES = 300

/** A domain with so many samples learns from no further verification. */
const ENOUGH_SAMPLES = 50
/** Results that are read for candidates. */
const MOST_RECENT = 10_000

export function createFormatStore(database: Database) {
  async function samplesOf(domains: readonly string[]): Promise<Map<string, LearnedSample[]>> {
    const rows = await database.all<SampleRow>(sql`SELECT s.domain, s.shares, s.source, s.learned_at AS "learnedAt"
      FROM json_each(${JSON.stringify(domains)}) AS j CROSS JOIN format_samples AS s ON s.rowid IN
        (SELECT rowid FROM format_samples WHERE domain = j.value ORDER BY learned_at DESC LIMIT ${MOST_SAMPLES})
      ORDER BY s.learned_at DESC`)
    const byDomain = Map.groupBy(rows, ({ domain }) => domain)
    return new Map([...byDomain].map(([domain, own]) => [domain, own.map(toSample)]))
  }

  return {
    /** The latest samples of a domain. */
    async samples(domain: string): Promise<LearnedSample[]> {
      return (await samplesOf([domain])).get(domain) ?? []
    },

    /** The same of many domains. */
    samplesOf,

    /** Adds samples; a repeated sample is renewed. */
    async addSamples(samples: readonly NewSample[]) {
      const rows = samples.map((sample) => {
        const shares = [...sample.shares].map(([format, share]) => [format, Math.round(share * 1e6) / 1e6])
        return { ...sample, shares: JSON.stringify(Object.fromEntries(shares)) }
      })
      const values = jsonRows(rows, "domain", "digest", "shares", "source", "learnedAt")
      await database.run(sql`INSERT INTO format_samples (domain, digest, shares, source, learned_at)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(${values})
        WHERE true ON CONFLICT (domain, digest)
        DO UPDATE SET shares = excluded.shares, source = excluded.source, learned_at = excluded.learned_at`)
    },

    async saveSummaries(summaries: readonly FormatSummary[]) {
      const rows = jsonRows(summaries, "domain", "format", "confidence", "sampleCount", "updatedAt")
      await database.run(sql`INSERT INTO domain_formats (domain, format, confidence, sample_count, updated_at)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(${rows})
        WHERE true ON CONFLICT (domain) DO UPDATE SET format = excluded.format, confidence = excluded.confidence,
          sample_count = excluded.sample_count, updated_at = excluded.updated_at`)
    },

    /** Addresses verified as valid since a time (Unix ms), newest first. Domains with enough samples are left out. */
    async candidates({ since, limit }: { since: number; limit: number }): Promise<string[]> {
      const rows = await database.all<{ address: string }>(sql`SELECT r.address FROM
          (SELECT address, domain, status, verified_at FROM results WHERE verified_at > ${since}
            ORDER BY verified_at DESC LIMIT ${MOST_RECENT}) AS r
        LEFT JOIN domain_formats AS f ON f.domain = r.domain
        WHERE r.status = 'valid' AND coalesce(f.sample_count, 0) < ${ENOUGH_SAMPLES} LIMIT ${limit}`)
      return rows.map(({ address }) => address)
    },

    /** The digests of those that are samples already. */
    async knownOf(samples: readonly Pick<NewSample, "domain" | "digest">[]): Promise<Set<string>> {
      const pairs = jsonRows(samples, "domain", "digest")
      const rows = await database.all<{ digest: string }>(sql`SELECT s.digest FROM json_each(${pairs}) AS j
        CROSS JOIN format_samples AS s ON s.domain = j.value ->> 0 AND s.digest = j.value ->> 1`)
      return new Set(rows.map(({ digest }) => digest))
    },

    /** Domains, those with the most samples first. */
    async list({
      limit,
      offset,
    }: {
      limit: number
      offset: number
    }): Promise<{ total: number; formats: FormatSummary[] }> {
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

    /** The last crawl, fresh or not. */
    async scrape(domain: string): Promise<SiteScrape | null> {
      const [row] = await database.select().from(siteScrapes).where(eq(siteScrapes.domain, domain))
      if (!row) return null
      const { domain: _, ...scrape } = row
      return scrape as SiteScrape
    },

    async saveScrape(domain: string, { outcome, pages, emails, fetchedAt, expiresAt }: SiteScrape) {
      const set = { outcome, pages, emails, fetchedAt, expiresAt }
      await database
        .insert(siteScrapes)
        .values({ domain, ...set })
        .onConflictDoUpdate({ target: siteScrapes.domain, set })
    },
  }
}

type SampleRow = Pick<LearnedSample, "source" | "learnedAt"> & { readonly domain: string; readonly shares: string }

function toSample({ shares, source, learnedAt }: SampleRow): LearnedSample {
  return { shares: new Map(Object.entries(JSON.parse(shares)) as [Format, number][]), source, learnedAt }
}
