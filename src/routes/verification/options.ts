import { z } from "@hono/zod-openapi"
import { email, flag, orElse, wholeNumberOr } from "../../http/fields.ts"
import type { CallerInput } from "../../services/verification/verify.ts"

const TIMEOUT = { min: 1_000, max: 60_000 } as const
const DEFAULT_TIMEOUT_MS = 30_000

/** name → [default, description]. One table for the query and the body. */
const SWITCHES = {
  smtp: [true, "Probe the mail server for the mailbox"],
  rbl: [true, "Check the mail servers against blocklists"],
  gravatar: [true, "Check for a Gravatar"],
  breach: [false, "Search known breaches; costs an extra credit"],
  web_presence: [true, "Check whether the domain has a website"],
  domain_age: [true, "Check the age of the domain"],
  enrich: [false, "Add the model's prediction and an activity score"],
  suppression: [true, "Respect the suppression list"],
  fresh: [false, "Probe again although a stored result is fresh; a result of the last minute is still returned"],
  explain: [false, "Add every fact with its points, and the SMTP transcript"],
} as const satisfies Record<string, readonly [boolean, string]>

const switches = <T>(make: (byDefault: boolean, description: string) => T) =>
  Object.fromEntries(Object.entries(SWITCHES).map(([name, [value, about]]) => [name, make(value, about)])) as Record<
    keyof typeof SWITCHES,
    T
  >

/** The options of a verification in a query. */
export const VerifyQuery = z.object({
  email: email(),
  ...switches(flag),
  timeout_ms: wholeNumberOr(DEFAULT_TIMEOUT_MS, {
    ...TIMEOUT,
    description: "Deadline in milliseconds",
  }),
  api_key: z.string().optional().openapi({ description: "Prefer the header X-API-Key: query strings appear in logs" }),
})

/** The same options as JSON. */
export const VerifyBody = z.object({
  email: email(),
  ...switches((byDefault, description) => orElse(z.boolean(), byDefault).openapi({ description })),
  timeout_ms: orElse(z.int().min(TIMEOUT.min).max(TIMEOUT.max), DEFAULT_TIMEOUT_MS).openapi({
    description: "Deadline in milliseconds",
  }),
})

/** The parsed options. Only some routes have the last two. */
export type VerifyOptions = Omit<z.output<typeof VerifyBody>, "enrich" | "explain"> & {
  readonly enrich?: boolean
  readonly explain?: boolean
}

/** Maps the API's options to the services' input. */
export function inputOf(options: VerifyOptions): CallerInput {
  const { email, smtp, rbl, gravatar, web_presence, domain_age, timeout_ms, fresh, breach } = options
  const { suppression, enrich } = options
  return {
    email,
    smtp,
    checks: { rbl, gravatar, webPresence: web_presence, domainAge: domain_age },
    timeoutMs: timeout_ms,
    fresh,
    breach,
    suppression,
    enriched: enrich ?? false,
  }
}
