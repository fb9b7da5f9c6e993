import { z } from "zod"
import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import { answered, troubled } from "../../domain/integrations/trouble.ts"
import { type ApiNeeds, type ApiRules, createApi, readAs } from "./api-client.ts"
import type { ContactBook } from "./contact-book.ts"
import { type SessionNeeds, signedInCalls } from "./salesforce-session.ts"

const NAME = "Salesforce"
const BASE = "/services/data/v62.0"
/** The smallest page a query may be told to have, and the most a collection takes. */
const PAGE = 200
/** Of the organization's calls of a day so much is left to others. */
const LEFT_TO_OTHERS = 0.05
const DAILY_PAUSE_MS = 3_600_000

const ID = /^[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?$/
const Page = z.object({
  done: z.boolean(),
  records: z.array(z.object({ Id: z.string().regex(ID), Email: z.string().nullish() })),
  nextRecordsUrl: z.string().startsWith("/services/data/").optional(),
})
const Saved = z.array(
  z.object({ success: z.boolean(), errors: z.array(z.object({ statusCode: z.string() })).default([]) }),
)
const Described = z.object({ fields: z.array(z.object({ name: z.string(), updateable: z.boolean() })) })
const ApiFailure = z.array(z.object({ errorCode: z.string() })).min(1)
const GrantFailure = z.object({ error: z.string(), error_description: z.string().optional() })
const Cursor = z.object({ next: z.string().startsWith("/services/data/"), after: z.string().regex(ID) })

/** REST API Developer Guide, "API Request Limits": Sforce-Limit-Info: api-usage=18/5000; 403 when they are used up. */
const RULES: ApiRules = {
  name: NAME,
  codeOf: (body) => ApiFailure.safeParse(body).data?.[0]?.errorCode ?? GrantFailure.safeParse(body).data?.error,
  outcomeOf: ({ body }, code) =>
    code === "REQUEST_LIMIT_EXCEEDED" ? "rate_limited" : isPassing(body) ? "unreachable" : null,
  pauseAt: (code) => (code === "REQUEST_LIMIT_EXCEEDED" ? DAILY_PAUSE_MS : null),
  paceOf: (headers) => {
    const [, used, most] = /api-usage=(\d+)\/(\d+)/.exec(headers.get("sforce-limit-info") ?? "") ?? []
    return used && most && Number(used) > Number(most) * (1 - LEFT_TO_OTHERS) ? DAILY_PAUSE_MS : null
  },
}

/**
 * Release notes of Winter '25, "Refresh Token Flow": of two requests with one refresh token the second is invalid_grant, too.
 * It is not sent again at once: the token may have been replaced meanwhile, and using it twice would end them all.
 */
function isPassing(body: unknown): boolean {
  const { error, error_description } = GrantFailure.safeParse(body).data ?? {}
  return error === "unknown_error" || /already being processed/i.test(error_description ?? "")
}

/** Salesforce's REST API: contacts or leads by SOQL, findings written into two custom fields, 200 records a call. */
export function createSalesforce(
  { credentials, settings }: Pick<ConnectionOf<"salesforce">, "credentials" | "settings">,
  { loginUrl, keepRefreshToken, ...needs }: ApiNeeds & Omit<SessionNeeds, "api">,
): ContactBook {
  const call = signedInCalls(credentials, { api: createApi(RULES, needs), loginUrl, keepRefreshToken })
  const { object, status_field: statusField, score_field: scoreField } = settings

  /** By id, so that a walk can go on behind any record. A lead that was converted is a contact now and takes no updates. */
  function queryAfter(id: string | null): string {
    const current = object === "Lead" ? " AND IsConverted = false" : ""
    const behind = id === null ? "" : ` AND Id > '${id}'`
    const soql = `SELECT Id, Email FROM ${object} WHERE Email != null${current}${behind} ORDER BY Id`
    return `${BASE}/query?${new URLSearchParams({ q: soql })}`
  }

  const ask = (path: string) => call("GET", path, { headers: { "sforce-query-options": `batchSize=${PAGE}` } })

  return {
    async check() {
      const described = readAs(NAME, Described, await call("GET", `${BASE}/sobjects/${object}/describe`))
      if (!described.ok) return described
      const writable = new Set(described.value.fields.flatMap(({ name, updateable }) => (updateable ? [name] : [])))
      const missing = [statusField, scoreField].filter((name) => !writable.has(name))
      if (missing.length === 0) return answered(object)
      const detail = `${NAME} has no field ${missing.join(" and ")} on ${object} that may be written; make it first`
      return troubled({ outcome: "refused", detail })
    },

    // Custom fields are made by an administrator; without them nothing can be written.
    async prepare() {
      const checked = await this.check()
      return checked.ok ? answered(null) : checked
    },

    async page(cursor) {
      const at = cursor === null ? null : Cursor.parse(JSON.parse(cursor))
      let found = await ask(at ? at.next : queryAfter(null))
      // A query is kept for two days at most; its place is known all the same.
      if (at && !found.ok && found.trouble.code === "INVALID_QUERY_LOCATOR") found = await ask(queryAfter(at.after))
      const read = readAs(NAME, Page, found)
      if (!read.ok) return read
      const { records, done, nextRecordsUrl } = read.value
      const contacts = records.flatMap(({ Id, Email }) => (Email ? [{ id: Id, email: Email }] : []))
      const last = records.at(-1)?.Id
      const next = !done && nextRecordsUrl && last ? JSON.stringify({ next: nextRecordsUrl, after: last }) : null
      return answered({ contacts, next })
    },

    async write(findings) {
      let [written, rejected] = [0, 0]
      let code: string | null = null
      for (let from = 0; from < findings.length; from += PAGE) {
        const records = findings.slice(from, from + PAGE).map(({ id, status, score }) => ({
          attributes: { type: object },
          ...{ id, [statusField]: status, [scoreField]: score },
        }))
        const saved = await call("PATCH", `${BASE}/composite/sobjects`, { json: { allOrNone: false, records } })
        const read = readAs(NAME, Saved, saved)
        if (!read.ok) return read
        const failed = read.value.filter(({ success }) => !success)
        written += read.value.length - failed.length
        rejected += failed.length
        code ??= failed[0]?.errors[0]?.statusCode ?? null
      }
      return answered({ written, rejected, code })
    },
  }
}
