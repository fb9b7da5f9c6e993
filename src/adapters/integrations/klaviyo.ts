import { z } from "zod"
import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import { providerFailure, providerSuccess } from "../../domain/integrations/provider.ts"
import type { ContactFinding } from "../../domain/integrations/sync.ts"
import { type ApiDeps, type ApiReply, type ApiRequest, type ApiRules, createApi, readAs } from "./api-client.ts"
import type { ContactBook, WriteResult } from "./contact-book.ts"

const NAME = "Klaviyo"
/** Most profiles in a page and most addresses in a suppression job. */
const PAGE = 100
/** Klaviyo supports a dated API revision for two years. */
const REVISION = "2026-01-15"
const IMPORTS = "/api/profile-bulk-import-jobs"
/** Waits in ms before each status check of an import. A longer import is not awaited. */
const STATUS_CHECKS_MS = [1_000, 2_000, 4_000]

const Accounts = z.object({ data: z.array(z.object({ id: z.string() })) })
const Profiles = z.object({
  data: z.array(z.object({ id: z.string(), attributes: z.object({ email: z.string().nullish() }) })),
  links: z.object({ next: z.string().nullish() }).optional(),
})
const Imported = z.object({ data: z.object({ id: z.string() }) })
const Import = z.object({
  data: z.object({ attributes: z.object({ status: z.string(), failed_count: z.int().nullish() }) }),
})
const ImportErrors = z.object({ data: z.array(z.object({ attributes: z.object({ code: z.string().nullish() }) })) })
const Failure = z.object({ errors: z.array(z.object({ code: z.string() })).min(1) })

/** developers.klaviyo.com, "Rate limits": a fixed window of a minute; RateLimit-* headers are in seconds. */
const RULES: ApiRules = {
  name: NAME,
  codeOf: (body) => Failure.safeParse(body).data?.errors[0]?.code,
  paceOf: (headers) => {
    if (headers.get("ratelimit-remaining") !== "0") return null
    return Number(headers.get("ratelimit-reset") ?? 0) * 1_000 || null
  },
}

/** Klaviyo's profiles of one list, with a private key. Bulk jobs write a whole page in one call. */
export function createKlaviyo(
  { credentials, settings }: Pick<ConnectionOf<"klaviyo">, "credentials" | "settings">,
  { url, ...deps }: ApiDeps & { readonly url: string },
): ContactBook {
  const api = createApi(RULES, deps)
  const headers = {
    authorization: `Klaviyo-API-Key ${credentials.api_key}`,
    revision: REVISION,
    accept: "application/vnd.api+json",
  }
  const call = (method: ApiRequest["method"], path: string, json?: unknown) =>
    api({
      method,
      url: `${url}${path}`,
      headers: json === undefined ? headers : { ...headers, "content-type": "application/vnd.api+json" },
      json,
    })
  const list = `/api/lists/${encodeURIComponent(settings.list_id)}`

  /** Counts the profiles that an import accepted. A failed status check says nothing, so it counts all. */
  async function writtenBy(imported: ApiReply, profiles: number): Promise<WriteResult> {
    const path = `${IMPORTS}/${encodeURIComponent(Imported.safeParse(imported.body).data?.data.id ?? "")}`
    for (const wait of STATUS_CHECKS_MS) {
      await deps.clock.sleep(wait)
      const job = readAs(NAME, Import, await call("GET", path))
      if (!job.ok) break
      const { status, failed_count } = job.value.data.attributes
      if (status === "cancelled") return { written: 0, rejected: profiles, code: status }
      if (status !== "complete") continue
      const rejected = failed_count ?? 0
      return { written: profiles - rejected, rejected, code: rejected > 0 ? await errorOf(path) : null }
    }
    return { written: profiles, rejected: 0, code: null }
  }

  /** The code of the first error. Other fields name addresses, so they are not requested. */
  async function errorOf(path: string): Promise<string | null> {
    const query = new URLSearchParams({ "fields[import-error]": "code", "page[size]": "1" })
    const errors = readAs(NAME, ImportErrors, await call("GET", `${path}/import-errors?${query}`))
    return (errors.ok && errors.value.data[0]?.attributes.code) || null
  }

  return {
    async check() {
      const found = await call("GET", list)
      if (!found.ok) return found.failure.httpStatus === 404 ? missingList(found.failure) : found
      // Account details need the scope accounts:read, which the key may lack.
      const accounts = readAs(NAME, Accounts, await call("GET", "/api/accounts"))
      const id = accounts.ok ? accounts.value.data[0]?.id : undefined
      return providerSuccess(id === undefined ? null : `account ${id}`)
    },

    // Properties are created by their first write.
    prepare: async () => providerSuccess(null),

    async page(cursor) {
      const query = new URLSearchParams({ "page[size]": String(PAGE), "fields[profile]": "email" })
      if (cursor !== null) query.set("page[cursor]", cursor)
      const found = readAs(NAME, Profiles, await call("GET", `${list}/profiles?${query}`))
      if (!found.ok) return found
      const { data, links } = found.value
      const contacts = data.flatMap(({ id, attributes: { email } }) => (email ? [{ id, email }] : []))
      return providerSuccess({ contacts, next: cursorIn(links?.next) })
    },

    async write(findings) {
      if (findings.length === 0) return providerSuccess({ written: 0, rejected: 0, code: null })
      const profiles = findings.map((finding) => profileOf(finding, settings))
      const imported = await call("POST", IMPORTS, bulkJob("profile-bulk-import-job", profiles))
      if (!imported.ok) return imported
      const unsafe = findings.filter(({ isUnsafe }) => isUnsafe)
      if (settings.action === "suppress" && unsafe.length > 0) {
        const members = unsafe.map(({ email }) => ({ type: "profile", attributes: { email } }))
        const job = bulkJob("profile-suppression-bulk-create-job", members)
        const suppressed = await call("POST", "/api/profile-suppression-bulk-create-jobs", job)
        if (!suppressed.ok) return suppressed
      }
      return providerSuccess(await writtenBy(imported.value, findings.length))
    },
  }
}

function profileOf({ id, email, status, score }: ContactFinding, settings: ConnectionOf<"klaviyo">["settings"]) {
  const properties = { [settings.status_property]: status, [settings.score_property]: score }
  return { type: "profile", id, attributes: { email, properties } }
}

function bulkJob(type: string, profiles: readonly object[]) {
  return { data: { type, attributes: { profiles: { data: profiles } } } }
}

/** Uses only the cursor of the link, because a link may lead anywhere. */
function cursorIn(link: string | null | undefined): string | null {
  return link ? (URL.parse(link)?.searchParams.get("page[cursor]") ?? null) : null
}

function missingList({ httpStatus, code }: { httpStatus: number | null; code: string | null }) {
  return providerFailure({ outcome: "refused", httpStatus, code, detail: `${NAME} has no such list` })
}
