import { z } from "zod"
import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import type { ContactFinding } from "../../domain/integrations/finding.ts"
import { type Answered, answered, troubled } from "../../domain/integrations/trouble.ts"
import { type ApiNeeds, type ApiRequest, type ApiRules, createApi, readAs } from "./api-client.ts"
import type { ContactBook, Written } from "./contact-book.ts"

const NAME = "Mailchimp"
/** Below what a page (1,000) and a batch (500) may hold: what is read at once is verified at once. */
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
/** Its errors have no codes, only words that name addresses. */
const TagBatch = z.object({ errors: z.array(z.object({ email_addresses: z.array(z.string()) })).default([]) })
const Batch = z.object({ errors: z.array(z.object({ error_code: z.string().optional() })).default([]) })
const Failure = z.object({ title: z.string() })

/**
 * mailchimp.com/developer, "Errors" and "Fundamentals": at most ten calls at a time; a 429 does not say how long to wait,
 * and may come as a 403 from in front of the API, which is no problem document then.
 */
const RULES: ApiRules = {
  name: NAME,
  codeOf: (body) => Failure.safeParse(body).data?.title,
  outcomeOf: ({ status }, code) => (status === 403 && code === null ? "rate_limited" : null),
}

/** Those who still get mail, or would: what has left the list already is nobody's cost. */
const REACHED = ["subscribed", "pending", "transactional"]

/** Mailchimp's Marketing API, version 3: members of one audience; unsafe ones are tagged, or unsubscribed. */
export function createMailchimp(
  { credentials, settings }: Pick<ConnectionOf<"mailchimp">, "credentials" | "settings">,
  { url, ...needs }: ApiNeeds & { /** With {dc} for the data centre. */ readonly url: string },
): ContactBook {
  const api = createApi(RULES, needs)
  const base = url.replace("{dc}", credentials.api_key.slice(credentials.api_key.lastIndexOf("-") + 1))
  const authorization = `Basic ${btoa(`key:${credentials.api_key}`)}`
  const list = `/lists/${encodeURIComponent(settings.list_id)}`
  const call = (method: ApiRequest["method"], path: string, json?: unknown) =>
    api({ method, url: `${base}${path}`, headers: { authorization }, ...(json === undefined ? {} : { json }) })
  let segment: number | null = null
  /** Ids of the page last read. */
  let tagged: ReadonlySet<string> = new Set()
  const isOurs = ({ name }: { readonly name: string }) => name.toLowerCase() === settings.tag.toLowerCase()

  /** A tag is a static segment. */
  async function findSegment(): Promise<Answered<number>> {
    if (segment !== null) return answered(segment)
    const search = await call("GET", `${list}/tag-search?${new URLSearchParams({ name: settings.tag })}`)
    const found = readAs(NAME, Tags, search)
    if (!found.ok) return found
    segment = found.value.tags.find(isOurs)?.id ?? null
    if (segment !== null) return answered(segment)
    const made = readAs(
      NAME,
      Segment,
      await call("POST", `${list}/segments`, { name: settings.tag, static_segment: [] }),
    )
    if (!made.ok) return made
    segment = made.value.id
    return answered(segment)
  }

  async function tag(findings: readonly ContactFinding[]): Promise<Answered<Written>> {
    const found = await findSegment()
    if (!found.ok) return found
    const members_to_add = findings.flatMap(({ id, email, isUnsafe }) => (isUnsafe && !tagged.has(id) ? [email] : []))
    const members_to_remove = findings.flatMap(({ email, isUnsafe }) => (isUnsafe ? [] : [email]))
    if (members_to_add.length + members_to_remove.length === 0)
      return answered({ written: findings.length, rejected: 0, code: null })
    const batch = await call("POST", `${list}/segments/${found.value}`, { members_to_add, members_to_remove })
    const read = readAs(NAME, TagBatch, batch)
    if (!read.ok) return read
    // Taking a tag off who does not have it is an error there, and none here.
    const failed = new Set(read.value.errors.flatMap(({ email_addresses }) => email_addresses))
    const rejected = members_to_add.filter((email) => failed.has(email)).length
    return answered({ written: findings.length - rejected, rejected, code: null })
  }

  async function unsubscribe(findings: readonly ContactFinding[]): Promise<Answered<Written>> {
    const members = findings.flatMap(({ email, isUnsafe }) =>
      isUnsafe ? [{ email_address: email, status: "unsubscribed" }] : [],
    )
    if (members.length === 0) return answered({ written: findings.length, rejected: 0, code: null })
    const batch = await call("POST", `${list}?skip_merge_validation=true`, { members, update_existing: true })
    const read = readAs(NAME, Batch, batch)
    if (!read.ok) return read
    const { errors } = read.value
    const code = errors[0]?.error_code ?? null
    return answered({ written: findings.length - errors.length, rejected: errors.length, code })
  }

  return {
    async check() {
      const found = readAs(NAME, List, await call("GET", `${list}?fields=id,name`))
      if (found.ok) return answered(found.value.name ?? found.value.id)
      return found.trouble.httpStatus === 404
        ? troubled({ ...found.trouble, outcome: "refused", detail: `${NAME} has no such list` })
        : found
    },

    prepare: async () => {
      const found = settings.action === "tag" ? await findSegment() : answered(null)
      return found.ok ? answered(null) : found
    },

    async page(cursor) {
      const offset = Number(cursor ?? 0)
      const fields = "members.id,members.email_address,members.status,members.tags,total_items"
      // Nobody is left out by the question: unsubscribing would move all who come after.
      const query = new URLSearchParams({ count: String(PAGE), offset: String(offset), fields })
      const found = readAs(NAME, Members, await call("GET", `${list}/members?${query}`))
      if (!found.ok) return found
      const { members, total_items } = found.value
      tagged = new Set(members.flatMap(({ id, tags }) => (tags.some(isOurs) ? [id] : [])))
      const contacts = members.flatMap(({ id, email_address, status }) =>
        REACHED.includes(status) ? [{ id, email: email_address }] : [],
      )
      const end = offset + members.length
      return answered({ contacts, next: members.length > 0 && end < total_items ? String(end) : null })
    },

    write: (findings) => {
      if (findings.length === 0) return Promise.resolve(answered({ written: 0, rejected: 0, code: null }))
      return settings.action === "tag" ? tag(findings) : unsubscribe(findings)
    },
  }
}
