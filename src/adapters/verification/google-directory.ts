import { importPKCS8, SignJWT } from "jose"
import { z } from "zod"
import type { DirectoryAnswer } from "../../domain/verification/directory.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock, Log } from "../platform.ts"
import { type AccessTokens, type Directory, signedInFetch } from "./directory-api.ts"

export interface GoogleDirectorySettings {
  readonly serviceAccount: { readonly clientEmail: string; readonly privateKey: string }
  /** The administrator that the service account acts for (domain-wide delegation). */
  readonly adminSubject: string
  /** Base of the API, such as https://admin.googleapis.com/admin/directory/v1 */
  readonly url: string
  readonly tokenUrl: string
}

const SCOPES = ["user", "group"].map((what) => `https://www.googleapis.com/auth/admin.directory.${what}.readonly`)
const ASSERTION_SECONDS = 3_600

const User = z.object({
  primaryEmail: z.string(),
  suspended: z.boolean().default(false),
  archived: z.boolean().default(false),
  isMailboxSetup: z.boolean().default(true),
})

const Refusal = z.object({ error: z.object({ errors: z.array(z.object({ reason: z.string() })) }) })

/**
 * Google's Admin SDK Directory API. users.get also finds aliases; after a 404 the address may be a group.
 * A 403 means a domain outside the customer, a missing scope, or a limit.
 * See developers.google.com/workspace/admin/directory.
 */
export function createGoogleDirectory(
  settings: GoogleDirectorySettings,
  deps: { fetch: Fetch; clock: Clock; log: Log; tokens: AccessTokens },
): Directory {
  const { serviceAccount, adminSubject, url, tokenUrl } = settings
  const get = signedInFetch(deps, {
    name: `google ${tokenUrl} ${serviceAccount.clientEmail} ${adminSubject}`,
    url: tokenUrl,
    form: async () => ({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: await signAssertion(settings, deps.clock.now()),
    }),
  })
  const resource = (collection: string, key: string) =>
    `${url.replace(/\/$/, "")}/${collection}/${encodeURIComponent(key)}`

  return {
    async find({ normalized }) {
      try {
        const user = await get(`${resource("users", normalized)}?fields=primaryEmail,suspended,archived,isMailboxSetup`)
        if (user.status === 200) return readUser(user.body, normalized)
        if (user.status === 403) return isLimit(user.body) ? failure(403) : { kind: "foreign" }
        if (user.status !== 404) return failure(user.status)
        const group = await get(`${resource("groups", normalized)}?fields=email`)
        if (group.status === 200) return { kind: "group" }
        // No such user exists. Without access to groups, that does not prove that the address is missing.
        if (group.status === 403) return { kind: "failure", reason: "the directory denies access to groups" }
        return group.status === 404 ? { kind: "nobody" } : failure(group.status)
      } catch (error) {
        deps.log("directory_failed", { directory: "google", error: (error as Error).message })
        return { kind: "failure", reason: "the directory is unreachable" }
      }
    },
  }
}

/** Signs the assertion of a Google service account (RFC 7523, RS256). @param now Unix milliseconds */
async function signAssertion(
  { serviceAccount, adminSubject, tokenUrl }: GoogleDirectorySettings,
  now: number,
): Promise<string> {
  const key = await importPKCS8(serviceAccount.privateKey, "RS256")
  const issuedAt = Math.floor(now / 1_000)
  return new SignJWT({ scope: SCOPES.join(" ") })
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(serviceAccount.clientEmail)
    .setSubject(adminSubject)
    .setAudience(tokenUrl)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_SECONDS)
    .sign(key)
}

function readUser(body: unknown, email: string): DirectoryAnswer {
  const user = User.safeParse(body)
  if (!user.success) return { kind: "failure", reason: "the directory's response is malformed" }
  const { primaryEmail, suspended, archived, isMailboxSetup } = user.data
  const isAlias = primaryEmail.toLowerCase() !== email.toLowerCase()
  if (suspended) return { kind: "user", isAlias, state: "suspended" }
  return { kind: "user", isAlias, state: isMailboxSetup && !archived ? "active" : "without_mailbox" }
}

/** quotaExceeded, userRateLimitExceeded … */
function isLimit(body: unknown): boolean {
  return Refusal.safeParse(body).data?.error.errors.some(({ reason }) => /exceeded$/i.test(reason)) ?? false
}

function failure(status: number): DirectoryAnswer {
  return { kind: "failure", reason: `the directory answered ${status}` }
}
