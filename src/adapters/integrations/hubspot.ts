import { z } from "zod"
import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import type { ContactFinding } from "../../domain/integrations/finding.ts"
import { type Answered, answered, troubled } from "../../domain/integrations/trouble.ts"
import { type ApiNeeds, type ApiRequest, type ApiRules, createApi, readAs } from "./api-client.ts"
import type { ContactBook, Written } from "./contact-book.ts"

const NAME = "HubSpot"
/** What a page of the list and a batch may hold at most. */
const PAGE = 100
/** HubSpot keeps a dated form of its interface for a year and a half; those by number, such as v3, end in September 2027. */
const VERSION = "2026-09"
const OBJECTS = `/crm/objects/${VERSION}/contacts`
const PROPERTIES = `/crm/properties/${VERSION}/contacts`

const Account = z.object({ portalId: z.union([z.number(), z.string()]) })
const Contacts = z.object({
  results: z.array(z.object({ id: z.string(), properties: z.object({ email: z.string().nullish() }) })),
  paging: z.object({ next: z.object({ after: z.string() }).optional() }).nullish(),
})
const Batch = z.object({
  results: z.array(z.object({ id: z.string() })).default([]),
  errors: z.array(z.object({ category: z.string().optional() })).default([]),
})
const Failure = z.object({ category: z.string().optional(), policyName: z.string().optional() })

/** Of values, and since 2026-09 also of the portal's rules on what a contact must have. */
const INVALID = "VALIDATION_ERROR"
/**
 * When so many are all refused, a property is missing rather than a value wrong. Going on by halves, page by page,
 * would cost the day's calls.
 */
const MANY = 10
/** "Handling errors": much was written at once, and nobody may write for two seconds. */
const LOCKED = 423
const LOCKED_MS = 2_000
/** "Handling errors": the account moves to another data centre; Retry-After says for how long, a day at most. */
const MOVING = 477

/** developers.hubspot.com, "API usage guidelines": the window's remaining calls stand in the headers. */
const RULES: ApiRules = {
  name: NAME,
  codeOf: (body) => {
    const { data } = Failure.safeParse(body)
    return data?.policyName ?? data?.category
  },
  outcomeOf: ({ status }) => (status === LOCKED || status === MOVING ? "rate_limited" : null),
  pauseAt: (code, status) => (code === "DAILY" ? DAILY_PAUSE_MS : status === LOCKED ? LOCKED_MS : null),
  paceOf: (headers) => {
    if (headers.get("x-hubspot-ratelimit-daily-remaining") === "0") return DAILY_PAUSE_MS
    if (headers.get("x-hubspot-ratelimit-remaining") !== "0") return null
    return Number(headers.get("x-hubspot-ratelimit-interval-milliseconds") ?? 0) || null
  },
}
/** The daily limit begins anew at midnight of the account's time zone, which we do not know. */
const DAILY_PAUSE_MS = 3_600_000

/** HubSpot's CRM objects by a private app's token: contacts are read by id, properties are written in batches. */
export function createHubspot(
  { credentials, settings }: Pick<ConnectionOf<"hubspot">, "credentials" | "settings">,
  { url, ...needs }: ApiNeeds & { readonly url: string },
): ContactBook {
  const api = createApi(RULES, needs)
  const call = (method: ApiRequest["method"], path: string, json?: unknown) =>
    api({
      method,
      url: `${url}${path}`,
      headers: { authorization: `Bearer ${credentials.access_token}` },
      ...(json === undefined ? {} : { json }),
    })

  async function makeProperty(property: object & { readonly name: string }) {
    const made = await call("POST", PROPERTIES, { ...property, groupName: "contactinformation" })
    // 409: somebody made it in the meantime.
    return made.ok || made.trouble.httpStatus === 409 ? answered(null) : made
  }

  /** One contact against the portal's rules has the whole batch refused: it is found by halves. */
  async function update(findings: readonly ContactFinding[]): Promise<Answered<Written>> {
    const inputs = findings.map(({ id, status, score }) => ({
      id,
      properties: { [settings.status_property]: status, [settings.score_property]: String(score) },
    }))
    const batch = await call("POST", `${OBJECTS}/batch/update`, { inputs })
    if (batch.ok) {
      // 207: some were updated, the errors say why the others were not.
      const read = readAs(NAME, Batch, batch)
      if (!read.ok) return read
      const { results, errors } = read.value
      const written = results.length
      return answered({ written, rejected: findings.length - written, code: errors[0]?.category ?? null })
    }
    if (batch.trouble.code !== INVALID) return batch
    if (findings.length === 1) return answered({ written: 0, rejected: 1, code: INVALID })
    const middle = Math.ceil(findings.length / 2)
    const first = await update(findings.slice(0, middle))
    if (!first.ok) return first
    const second = await update(findings.slice(middle))
    if (!second.ok) return second
    const [one, other] = [first.value, second.value]
    return answered({
      written: one.written + other.written,
      rejected: one.rejected + other.rejected,
      code: one.code ?? other.code,
    })
  }

  return {
    async check() {
      const list = await call("GET", `${OBJECTS}?limit=1&properties=email`)
      if (!list.ok) return list
      // Whose token it is may be asked with every scope.
      const account = readAs(NAME, Account, await call("GET", `/account-info/${VERSION}/details`))
      return answered(account.ok ? `portal ${account.value.portalId}` : null)
    },

    async prepare() {
      const properties = [
        { name: settings.status_property, label: "Mailverdict status", type: "string", fieldType: "text" },
        { name: settings.score_property, label: "Mailverdict score", type: "number", fieldType: "number" },
      ]
      for (const property of properties) {
        const known = await call("GET", `${PROPERTIES}/${property.name}`)
        if (known.ok) continue
        if (known.trouble.httpStatus !== 404) return known
        const made = await makeProperty(property)
        if (!made.ok) return made
      }
      return answered(null)
    },

    async page(cursor) {
      const query = new URLSearchParams({ limit: String(PAGE), properties: "email", archived: "false" })
      if (cursor !== null) query.set("after", cursor)
      const list = readAs(NAME, Contacts, await call("GET", `${OBJECTS}?${query}`))
      if (!list.ok) return list
      const { results, paging } = list.value
      const contacts = results.flatMap(({ id, properties: { email } }) => (email ? [{ id, email }] : []))
      return answered({ contacts, next: paging?.next?.after ?? null })
    },

    async write(findings) {
      if (findings.length === 0) return answered({ written: 0, rejected: 0, code: null })
      const done = await update(findings)
      if (!done.ok || done.value.written > 0 || findings.length < MANY || done.value.code !== INVALID) return done
      const { code } = done.value
      const detail = `${NAME} takes the findings of no contact (${code})`
      return troubled({ outcome: "refused", httpStatus: 400, code, detail })
    },
  }
}
