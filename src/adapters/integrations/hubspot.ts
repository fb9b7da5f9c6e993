import { z } from "zod"
import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import { type ProviderResult, providerFailure, providerSuccess } from "../../domain/integrations/provider.ts"
import type { ContactFinding } from "../../domain/integrations/sync.ts"
import { type ApiDeps, type ApiRequest, type ApiRules, createApi, readAs } from "./api-client.ts"
import type { ContactBook, WriteResult } from "./contact-book.ts"

const NAME = "HubSpot"
/** Most contacts in a page and in a batch. */
const PAGE = 100
/** HubSpot supports a dated API version for 18 months. Numbered versions such as v3 end in September 2027. */
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

/** For invalid values. Since 2026-09 also for the portal's rules about required properties. */
const INVALID = "VALIDATION_ERROR"
/** When a batch this large is refused completely, a property is missing, not a value wrong. It is not split further. */
const SYSTEMATIC_FAILURE = 10
/** "Handling errors": after large writes all writes are locked for two seconds. */
const LOCKED = 423
const LOCKED_MS = 2_000
/** "Handling errors": the account moves to another data center. Retry-After gives the duration, a day at most. */
const MOVING = 477

/** developers.hubspot.com, "API usage guidelines": headers give the remaining calls of the window. */
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
/** The daily limit resets at midnight in the account's time zone, which is unknown here. */
const DAILY_PAUSE_MS = 3_600_000

/** HubSpot's CRM API with a private app's token: reads contacts by id, writes properties in batches. */
export function createHubspot(
  { credentials, settings }: Pick<ConnectionOf<"hubspot">, "credentials" | "settings">,
  { url, ...deps }: ApiDeps & { readonly url: string },
): ContactBook {
  const api = createApi(RULES, deps)
  const call = (method: ApiRequest["method"], path: string, json?: unknown) =>
    api({ method, url: `${url}${path}`, headers: { authorization: `Bearer ${credentials.access_token}` }, json })

  async function makeProperty(property: object & { readonly name: string }) {
    const made = await call("POST", PROPERTIES, { ...property, groupName: "contactinformation" })
    // 409: the property was created in the meantime.
    return made.ok || made.failure.httpStatus === 409 ? providerSuccess(null) : made
  }

  /** One contact that violates the portal's rules fails the whole batch. Halving the batch finds it. */
  async function update(findings: readonly ContactFinding[]): Promise<ProviderResult<WriteResult>> {
    const inputs = findings.map(({ id, status, score }) => ({
      id,
      properties: { [settings.status_property]: status, [settings.score_property]: String(score) },
    }))
    const batch = await call("POST", `${OBJECTS}/batch/update`, { inputs })
    if (batch.ok) {
      // 207: some contacts were updated; the errors explain the others.
      const read = readAs(NAME, Batch, batch)
      if (!read.ok) return read
      const { results, errors } = read.value
      const written = results.length
      return providerSuccess({ written, rejected: findings.length - written, code: errors[0]?.category ?? null })
    }
    if (batch.failure.code !== INVALID) return batch
    if (findings.length === 1) return providerSuccess({ written: 0, rejected: 1, code: INVALID })
    const middle = Math.ceil(findings.length / 2)
    const first = await update(findings.slice(0, middle))
    if (!first.ok) return first
    const second = await update(findings.slice(middle))
    if (!second.ok) return second
    const [one, other] = [first.value, second.value]
    const [written, rejected] = [one.written + other.written, one.rejected + other.rejected]
    return providerSuccess({ written, rejected, code: one.code ?? other.code })
  }

  return {
    async check() {
      const list = await call("GET", `${OBJECTS}?limit=1&properties=email`)
      if (!list.ok) return list
      // The account details need no additional scope.
      const account = readAs(NAME, Account, await call("GET", `/account-info/${VERSION}/details`))
      return providerSuccess(account.ok ? `portal ${account.value.portalId}` : null)
    },

    async prepare() {
      const properties = [
        { name: settings.status_property, label: "Mailverdict status", type: "string", fieldType: "text" },
        { name: settings.score_property, label: "Mailverdict score", type: "number", fieldType: "number" },
      ]
      for (const property of properties) {
        const known = await call("GET", `${PROPERTIES}/${property.name}`)
        if (known.ok) continue
        if (known.failure.httpStatus !== 404) return known
        const made = await makeProperty(property)
        if (!made.ok) return made
      }
      return providerSuccess(null)
    },

    async page(cursor) {
      const query = new URLSearchParams({ limit: String(PAGE), properties: "email", archived: "false" })
      if (cursor !== null) query.set("after", cursor)
      const list = readAs(NAME, Contacts, await call("GET", `${OBJECTS}?${query}`))
      if (!list.ok) return list
      const { results, paging } = list.value
      const contacts = results.flatMap(({ id, properties: { email } }) => (email ? [{ id, email }] : []))
      return providerSuccess({ contacts, next: paging?.next?.after ?? null })
    },

    async write(findings) {
      if (findings.length === 0) return providerSuccess({ written: 0, rejected: 0, code: null })
      const done = await update(findings)
      if (!done.ok || done.value.written > 0 || findings.length < SYSTEMATIC_FAILURE || done.value.code !== INVALID)
        return done
      const { code } = done.value
      const detail = `${NAME} rejects the results of every contact (${code})`
      return providerFailure({ outcome: "refused", httpStatus: 400, code, detail })
    },
  }
}
