import { z } from "zod"
import type { Config } from "../../env.ts"
import { createOutages, type Lookup, type Outages, readText, retryAfterMs } from "../external-calls.ts"
import type { Platform } from "../platform.ts"

/** A breach that contains an address. */
export interface Breach {
  readonly name: string
  /** Day of the breach, "2024-05-31"; null when unknown. */
  readonly breachedOn: string | null
  /** The exposed data, in the source's terms. */
  readonly exposed: readonly string[]
}

/** A source of known breaches. */
export interface BreachSource {
  readonly name: string
  /** The breaches of an address; null when the source has no answer or was not queried. Never rejects. */
  breachesOf(email: string): Promise<readonly Breach[] | null>
}

interface HibpDeps extends Pick<Platform, "clock" | "log"> {
  readonly lookUp: Lookup
  /** The service refuses requests without a user agent (403). */
  readonly userAgent: string
  readonly outages?: Outages
}

const TIMEOUT_MS = 5_000
/** Some addresses are in hundreds of breaches, each with a description. */
const MAX_BYTES = 4_000_000
const isolateOutages = createOutages()

const Answer = z.array(
  z.object({
    Name: z.string().max(200),
    BreachDate: z.string().max(40).optional(),
    DataClasses: z.array(z.string().max(200)).optional(),
  }),
)

/**
 * Have I Been Pwned, version 3: 200 lists breaches, 404 means none. Other statuses give no answer.
 * See haveibeenpwned.com/API/v3.
 * @param url base URL of version 3, such as https://haveibeenpwned.com/api/v3
 */
export function createHibp(
  { url, apiKey }: NonNullable<Config["hibp"]>,
  { lookUp, clock, log, userAgent, outages = isolateOutages }: HibpDeps,
): BreachSource {
  return {
    name: "Have I Been Pwned",

    async breachesOf(email) {
      if (outages.has(url, clock.now())) return null
      const account = encodeURIComponent(email.trim().toLowerCase())
      try {
        const requestUrl = `${url.replace(/\/$/, "")}/breachedaccount/${account}?truncateResponse=false`
        const response = await lookUp(email.trim(), requestUrl, {
          headers: { "hibp-api-key": apiKey, "user-agent": userAgent, accept: "application/json" },
          redirect: "manual",
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        if (response === null) return null
        if (response.status === 200) return read(await readText(response, MAX_BYTES))
        await response.body?.cancel()
        if (response.status === 404) return []
        // A 400 concerns only this address, not the service.
        if (response.status === 400) return null
        outages.record(url, clock.now(), retryAfterMs(response.headers, clock.now()))
        log("breach_service_failed", { answered: response.status })
      } catch {
        outages.record(url, clock.now())
        log("breach_service_failed", { answered: null })
      }
      return null
    },
  }
}

function read(text: string): Breach[] | null {
  const answer = Answer.safeParse(JSON.parse(text))
  if (!answer.success) return null
  return answer.data.map(({ Name, BreachDate, DataClasses }) => ({
    name: Name,
    breachedOn: BreachDate ?? null,
    exposed: DataClasses ?? [],
  }))
}
