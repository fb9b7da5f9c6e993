import { type Given, type StubRequest, type StubServer, startStub } from "./stub-server.ts"

export interface Audience {
  readonly members: readonly { readonly email: string; readonly status?: string }[]
  /** Members that cannot be tagged. */
  readonly untaggable?: readonly string[]
  readonly faults?: readonly Given[]
}

export interface MailchimpServer extends StubServer {
  /** Also at /tagged, for tests in another process. */
  readonly tagged: ReadonlySet<string>
  /** Address → status. */
  readonly statuses: ReadonlyMap<string, string>
}

export const MAILCHIMP_KEY = "0123456789abcdef0123456789abcdef-us21"
export const MAILCHIMP_LIST = "a1b2c3d4e5"
const TAG_ID = 77

/** mailchimp.com/developer, "Errors": problem documents of RFC 7807. */
const refusal = (status: number, title: string): Given => ({
  status,
  headers: { "content-type": "application/problem+json" },
  json: {
    type: "https://mailchimp.com/developer/marketing/docs/errors/",
    title,
    status,
    detail: "somebody@example.com",
  },
})
export const MAILCHIMP_LIMITED = refusal(429, "Too Many Requests")
/** "Fundamentals": far too many calls are rejected in front of the API, without a problem document. */
export const MAILCHIMP_REJECTED: Given = { status: 403, text: "<html><body>Access Denied</body></html>" }
export const MAILCHIMP_FORBIDDEN = refusal(403, "Forbidden")

/** Mailchimp's Marketing API, version 3, at /us21/3.0: one audience, its members, tags and batches. */
export async function startMailchimp({ members, untaggable = [], faults = [] }: Audience): Promise<MailchimpServer> {
  const tagged = new Set<string>()
  const statuses = new Map(members.map(({ email, status = "subscribed" }) => [email, status]))
  const made = { tag: null as string | null }
  let calls = 0
  const server = await startStub((asked) => {
    if (asked.path === "/tagged") return { status: 200, json: [...tagged] }
    if (!asked.path.startsWith("/us21/3.0/")) return { status: 404 }
    if (asked.headers.authorization !== `Basic ${btoa(`key:${MAILCHIMP_KEY}`)}`) return refusal(401, "API Key Invalid")
    const fault = faults[calls++]
    if (fault && fault.status !== 200) return fault
    const [, list, rest = ""] = /^\/us21\/3\.0\/lists\/(\w+)(.*)$/.exec(asked.path) ?? []
    if (list !== MAILCHIMP_LIST) return refusal(404, "Resource Not Found")
    return answer(asked, `${asked.method} ${rest}`, { tagged, statuses, made, untaggable })
  })
  return Object.assign(server, { tagged, statuses })
}

interface State {
  readonly tagged: Set<string>
  readonly statuses: Map<string, string>
  readonly made: { tag: string | null }
  readonly untaggable: readonly string[]
}

function answer({ query, body }: StubRequest, route: string, { tagged, statuses, made, untaggable }: State): Given {
  const given = (body === "" ? {} : JSON.parse(body)) as Record<string, unknown>
  const addresses = (value: unknown) => (value ?? []) as string[]
  switch (route) {
    case "GET ":
      return { status: 200, json: { id: MAILCHIMP_LIST, name: "Newsletter" } }
    case "GET /members": {
      const [count, offset] = [Number(query.get("count") ?? 10), Number(query.get("offset") ?? 0)]
      const all = [...statuses].map(([email_address, status]) => ({
        id: `md5-${email_address}`,
        email_address,
        status,
        tags: tagged.has(email_address) ? [{ id: TAG_ID, name: made.tag }] : [],
      }))
      return { status: 200, json: { members: all.slice(offset, offset + count), total_items: all.length } }
    }
    case "GET /tag-search":
      return { status: 200, json: { tags: made.tag === null ? [] : [{ id: TAG_ID, name: made.tag }] } }
    case "POST /segments":
      made.tag = given.name as string
      return { status: 200, json: { id: TAG_ID, name: made.tag, type: "static" } }
    case `POST /segments/${TAG_ID}`: {
      const [add, remove] = [addresses(given.members_to_add), addresses(given.members_to_remove)]
      if (add.length > 500 || remove.length > 500) return refusal(400, "Invalid Resource")
      if (add.length + remove.length === 0) return refusal(400, "Bad Request")
      return changeTag(tagged, { add, remove, untaggable })
    }
    case "POST ":
      return batch(given, query, statuses)
    default:
      return refusal(404, "Resource Not Found")
  }
}

/** "Batch add or remove members": an entry without effect is also an error. */
function changeTag(
  tagged: Set<string>,
  { add, remove, untaggable }: { add: string[]; remove: string[]; untaggable: readonly string[] },
): Given {
  const notAdded = add.filter((email) => untaggable.includes(email) || tagged.has(email))
  const notRemoved = remove.filter((email) => !tagged.has(email))
  for (const email of add) if (!notAdded.includes(email)) tagged.add(email)
  for (const email of remove) tagged.delete(email)
  const errors = [...notAdded, ...notRemoved].map((email) => ({ email_addresses: [email], error: `${email}: no` }))
  const counts = { total_added: add.length - notAdded.length, total_removed: remove.length - notRemoved.length }
  return { status: 200, json: { ...counts, error_count: errors.length, errors } }
}

function batch(given: Record<string, unknown>, query: URLSearchParams, statuses: Map<string, string>): Given {
  const members = given.members as { email_address: string; status: string }[]
  if (members.length > 500 || given.update_existing !== true || query.get("skip_merge_validation") !== "true")
    return refusal(400, "Invalid Resource")
  const isRefused = ({ email_address }: { email_address: string }) => email_address.includes("compliance")
  for (const { email_address, status } of members.filter((one) => !isRefused(one))) statuses.set(email_address, status)
  const errors = members.filter(isRefused).map((one) => ({
    ...one,
    error: "is in a compliance state",
    error_code: "ERROR_CONTACT_COMPLIANCE",
  }))
  return { status: 200, json: { updated_members: [], errors, error_count: errors.length } }
}
