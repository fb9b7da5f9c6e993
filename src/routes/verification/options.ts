import { z } from "@hono/zod-openapi"
import { email, flag, orElse, wholeNumberOr } from "../../http/fields.ts"
import type { ForCaller } from "../../http/verify-for.ts"
import type { VerifyInput } from "../../services/verification/verify.ts"

const TIMEOUT = { min: 1_000, max: 60_000 } as const
const DEFAULT_TIMEOUT_MS = 30_000

/** name → [default, what it switches]. One table for the query and the body form. */
const SWITCHES = {
  smtp: [true, "Ask the mail server whether the mailbox exists"],
  rbl: [true, "Look the mail servers up on blocklists"],
  gravatar: [true, "Look for a Gravatar"],
  breach: [false, "Look for known breaches; costs an extra credit"],
  web_presence: [true, "Look for a web site of the domain"],
  domain_age: [true, "Look up how old the domain is"],
  enrich: [false, "Add the model's prediction and an activity score"],
  suppression: [true, "Respect the suppression list"],
  explain: [false, "Add every fact, the points it brought and the SMTP conversation"],
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
    description: "The hard wall of this call in milliseconds",
  }),
  api_key: z.string().optional().openapi({ description: "The header X-API-Key is better: queries end up in logs" }),
})

/** The same options as JSON. */
export const VerifyBody = z.object({
  email: email(),
  ...switches((byDefault, description) => orElse(z.boolean(), byDefault).openapi({ description })),
  timeout_ms: orElse(z.int().min(TIMEOUT.min).max(TIMEOUT.max), DEFAULT_TIMEOUT_MS),
})

/** The options in force, as a route has read them. The last two only where the route has them. */
export type Asked = Omit<z.output<typeof VerifyBody>, "enrich" | "explain"> & {
  readonly enrich?: boolean
  readonly explain?: boolean
}

/** What is to be verified, and how, in our own words. */
export function inputOf(asked: Asked): VerifyInput & ForCaller {
  const { email, smtp, rbl, gravatar, web_presence, domain_age, timeout_ms, breach, suppression, enrich } = asked
  return {
    email,
    smtp,
    checks: { rbl, gravatar, webPresence: web_presence, domainAge: domain_age },
    timeoutMs: timeout_ms,
    breach,
    suppression,
    enriched: enrich ?? false,
  }
}
