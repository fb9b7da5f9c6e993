import { z } from "zod"
import type { ValidAddress } from "../../domain/address/parse.ts"
import type { DirectoryAnswer } from "../../domain/verification/directory.ts"
import type { Fetch } from "../outbound.ts"
import type { Log } from "../platform.ts"
import { type AccessTokens, type ApiAnswer, type Directory, signedInFetch } from "./directory-api.ts"

export interface MicrosoftDirectorySettings {
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret: string
  /** Base of the API, such as https://graph.microsoft.com/v1.0 */
  readonly url: string
  /** Such as https://login.microsoftonline.com */
  readonly loginUrl: string
}

const Objects = z.object({
  value: z.array(
    z.object({
      userPrincipalName: z.string().nullish(),
      mail: z.string().nullish(),
      proxyAddresses: z.array(z.string()).default([]),
    }),
  ),
})
const Organization = z.object({
  value: z.array(z.object({ verifiedDomains: z.array(z.object({ name: z.string() })) })),
})

/** Filters on proxyAddresses are "advanced queries", which need this header and $count. */
const ADVANCED = { consistencylevel: "eventual" } as const

/**
 * Microsoft Graph on the customer's own tenant. Permissions: User.Read.All, GroupMember.Read.All,
 * OrgContact.Read.All, Organization.Read.All. Lists are empty for foreign domains too, so ownership is checked first.
 * A disabled account still receives mail, such as a shared mailbox or a room.
 */
export function createMicrosoftDirectory(
  { tenantId, clientId, clientSecret, url, loginUrl }: MicrosoftDirectorySettings,
  deps: { fetch: Fetch; log: Log; tokens: AccessTokens },
): Directory {
  const base = url.replace(/\/$/, "")
  const get = signedInFetch(deps, {
    name: `microsoft ${loginUrl} ${tenantId} ${clientId}`,
    url: `${loginUrl.replace(/\/$/, "")}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`,
    form: async () => ({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
      scope: `${new URL(url).origin}/.default`,
    }),
  })
  const list = (collection: string, filter: string) => {
    const query = new URLSearchParams({ $filter: filter, $select: SELECT[collection]!, $count: "true", $top: "5" })
    return get(`${base}/${collection}?${query}`, ADVANCED)
  }

  /** Finds an address that does not belong to a user. */
  async function findOther(address: ValidAddress, proxy: string): Promise<DirectoryAnswer> {
    for (const [collection, kind] of OTHERS) {
      const others = await list(collection, proxy)
      if (others.status !== 200) return failure(others, collection)
      if (proxiesOf(others.body).some((held) => isSame(held, address))) return { kind }
    }
    return { kind: "nobody" }
  }

  return {
    async find(address) {
      try {
        const organization = await get(`${base}/organization?$select=verifiedDomains`)
        if (organization.status !== 200) return failure(organization, "organization")
        if (!ownedDomains(organization.body).includes(address.domain)) return { kind: "foreign" }
        const proxy = `proxyAddresses/any(p:p eq '${quoted(`smtp:${address.normalized}`)}')`
        const byName = `userPrincipalName eq '${quoted(address.normalized)}'`
        const users = await list("users", `${proxy} or ${byName}`)
        if (users.status !== 200) return failure(users, "users")
        const user = readUser(users.body, address)
        if (user) return user
        return await findOther(address, proxy)
      } catch (error) {
        deps.log("directory_failed", { directory: "microsoft", error: (error as Error).message })
        return { kind: "failure", reason: "the directory is unreachable" }
      }
    },
  }
}

const SELECT: Readonly<Record<string, string>> = {
  users: "userPrincipalName,mail,proxyAddresses",
  groups: "mail,proxyAddresses",
  contacts: "mail,proxyAddresses",
}
/** Other objects with addresses that Graph can list. */
const OTHERS = [
  ["groups", "group"],
  ["contacts", "contact"],
] as const

function readUser(body: unknown, address: ValidAddress): DirectoryAnswer | null {
  for (const { userPrincipalName, mail, proxyAddresses } of Objects.parse(body).value) {
    const proxy = proxyAddresses.find((held) => isSame(held, address))
    // Upper case marks the primary address.
    if (proxy) return { kind: "user", isAlias: !proxy.startsWith("SMTP:"), state: "active" }
    if (isSame(`smtp:${mail ?? ""}`, address)) return { kind: "user", isAlias: false, state: "active" }
    if (isSame(`smtp:${userPrincipalName ?? ""}`, address))
      return { kind: "user", isAlias: false, state: "without_mailbox" }
  }
  return null
}

function proxiesOf(body: unknown): string[] {
  return Objects.parse(body).value.flatMap(({ proxyAddresses, mail }) => [...proxyAddresses, `smtp:${mail ?? ""}`])
}

function ownedDomains(body: unknown): string[] {
  return Organization.parse(body).value.flatMap(({ verifiedDomains }) =>
    verifiedDomains.map(({ name }) => name.toLowerCase()),
  )
}

function isSame(proxy: string, { normalized }: ValidAddress): boolean {
  return proxy.toLowerCase() === `smtp:${normalized.toLowerCase()}`
}

/** Escapes an OData literal by doubling its quotes. */
function quoted(text: string): string {
  return text.replaceAll("'", "''")
}

/** A 403 is a permission that the tenant has not granted. */
function failure({ status }: ApiAnswer, what: string): DirectoryAnswer {
  const reason = status === 403 ? `the directory denies access to ${what}` : `the directory answered ${status}`
  return { kind: "failure", reason }
}
