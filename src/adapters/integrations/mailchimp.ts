import { z } from "zod"
import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import { type ProviderResult, providerFailure, providerSuccess } from "../../domain/integrations/provider.ts"
import type { ContactFinding } from "../../domain/integrations/sync.ts"
import { type ApiDeps, type ApiRequest, type ApiRules, createApi, readAs } from "./api-client.ts"
import type { ContactBook, WriteResult } from "./contact-book.ts"

const NAME = "Mailchimp"
/** Below the limits of a page (1,000) and a batch (500): a page is verified as a whole. */
const PAGE = 200

const List = z.object({ id: z.string(), name: z.string().optional() })
const Members = z.object({
  members: z.array(
    z.object({
      id: z.string(),
      email_address: z.string(),
      status: z.string(),
      tags: z.array(z.object({ name: z.string() })).default([]),
    }),
  ),
  total_items: z.int(),
})
const Tags = z.object({ tags: z.array(z.object({ id: z.int(), name: z.string() })) })
const Segment = z.object({ id: z.int() })
/** Its errors have no codes, only texts that name addresses. */
const TagBatch = z.object({ errors: z.array(z.object({ email_addresses: z.array(z.string()) })).default([]) })
const Batch = z.object({ errors: z.array(z.object({ error_code: z.string().optional() })).default([]) })
const Failure = z.object({ title: z.string() })

/**
 * mailchimp.com/developer, "Errors" and "Fundamentals": at most ten concurrent calls; a 429 gives no duration.
 * A proxy may send it as a 403 without a problem document.
 */
const RULES: ApiRules = {
  name: NAME,
  codeOf: (body) => Failure.safeParse(body).data?.title,
  outcomeOf: ({ status }, code) => (status === 403 && code === null ? "rate_limited" : null),
}

/** Statuses of members that get mail or may get it. Members that left the list cost nothing. */
const REACHED = ["subscribed", "pending", "transactional"]

/** Mailchimp's Marketing API, version 3: unsafe members of one audience are tagged or unsubscribed. */
export function createMailchimp(
  { credentials, settings }: Pick<ConnectionOf<"mailchimp">, "credentials" | "settings">,
  { url, ...deps }: ApiDeps & { /** With {dc} for the data centre. */ readonly url: string },
): ContactBook {
  const api = createApi(RULES, deps)
  const base = url.replace("{dc}", credentials.api_key.slice(credentials.api_key.lastIndexOf("-") + 1))
  const authorization = `Basic ${btoa(`key:${credentials.api_key}`)}`
  const list = `/lists/${encodeURIComponent(settings.list_id)}`
  const call = (method: ApiRequest["method"], path: string, json?: unknown) =>
    api({ method, url: `${base}${path}`, headers: { authorization }, json })
  let segment: number | null = null
  /** Ids of the members on the last page that have the tag. */
  let tagged: ReadonlySet<string> = new Set()
  const isOurs = ({ name }: { readonly name: string }) => name.toLowerCase() === settings.tag.toLowerCase()

  /** Finds or creates the tag. A tag is a static segment. */
  async function findSegment(): Promise<ProviderResult<number>> {
    if (segment !== null) return providerSuccess(segment)
    const search = await call("GET", `${list}/tag-search?${new URLSearchParams({ name: settings.tag })}`)
    const found = readAs(NAME, Tags, search)
    if (!found.ok) return found
    segment = found.value.tags.find(isOurs)?.id ?? null
    if (segment !== null) return providerSuccess(segment)
    const creation = await call("POST", `${list}/segments`, { name: settings.tag, static_segment: [] })
    const made = readAs(NAME, Segment, creation)
    if (!made.ok) return made
    segment = made.value.id
    return providerSuccess(segment)
  }

  async function tag(findings: readonly ContactFinding[]): Promise<ProviderResult<WriteResult>> {
    const found = await findSegment()
    if (!found.ok) return found
    const members_to_add = findings.flatMap(({ id, email, isUnsafe }) => (isUnsafe && !tagged.has(id) ? [email] : []))
    const members_to_remove = findings.flatMap(({ email, isUnsafe }) => (isUnsafe ? [] : [email]))
    if (members_to_add.length + members_to_remove.length === 0)
      return providerSuccess({ written: findings.length, rejected: 0, code: null })
    const batch = await call("POST", `${list}/segments/${found.value}`, { members_to_add, members_to_remove })
    const read = readAs(NAME, TagBatch, batch)
    if (!read.ok) return read
    // Removing a tag from a member without it is an error at Mailchimp. It is ignored here.
    const failed = new Set(read.value.errors.flatMap(({ email_addresses }) => email_addresses))
    const rejected = members_to_add.filter((email) => failed.has(email)).length
    return providerSuccess({ written: findings.length - rejected, rejected, code: null })
  }

  async function unsubscribe(findings: readonly ContactFinding[]): Promise<ProviderResult<WriteResult>> {
    const members = findings.flatMap(({ email, isUnsafe }) =>
      isUnsafe ? [{ email_address: email, status: "unsubscribed" }] : [],
    )
    if (members.length === 0) return providerSuccess({ written: findings.length, rejected: 0, code: null })
    const batch = await call("POST", `${list}?skip_merge_validation=true`, { members, update_existing: true })
    const read = readAs(NAME, Batch, batch)
    if (!read.ok) return read
    const { errors } = read.value
    const code = errors[0]?.error_code ?? null
    return providerSuccess({ written: findings.length - errors.length, rejected: errors.length, code })
  }

  return {
    async check() {
      const found = readAs(NAME, List, await call("GET", `${list}?fields=id,name`))
      if (found.ok) return providerSuccess(found.value.name ?? found.value.id)
      return found.failure.httpStatus === 404
        ? providerFailure({ ...found.failure, outcome: "refused", detail: `${NAME} has no such list` })
        : found
    },

    prepare: async () => {
      const found = settings.action === "tag" ? await findSegment() : providerSuccess(null)
      return found.ok ? providerSuccess(null) : found
    },

    async page(cursor) {
      const offset = Number(cursor ?? 0)
      const fields = "members.id,members.email_address,members.status,members.tags,total_items"
      // No status filter: unsubscribing members would shift the offsets of all later members.
      const query = new URLSearchParams({ count: String(PAGE), offset: String(offset), fields })
      const found = readAs(NAME, Members, await call("GET", `${list}/members?${query}`))
      if (!found.ok) return found
      const { members, total_items } = found.value
      tagged = new Set(members.flatMap(({ id, tags }) => (tags.some(isOurs) ? [id] : [])))
      const contacts = members.flatMap(({ id, email_address, status }) =>
        REACHED.includes(status) ? [{ id, email: email_address }] : [],
      )
      const end = offset + members.length
      return providerSuccess({ contacts, next: members.length > 0 && end < total_items ? String(end) : null })
    },

    write: (findings) => {
      if (findings.length === 0) return Promise.resolve(providerSuccess({ written: 0, rejected: 0, code: null }))
      return settings.action === "tag" ? tag(findings) : unsubscribe(findings)
    },
  }
}
