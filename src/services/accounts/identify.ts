import type { OpenKey } from "../../adapters/keygate/gate.ts"
import { countOrRefuse, storeUnavailable } from "../../adapters/keygate/gates.ts"
import type { Deps } from "../../deps.ts"
import type { Anonymous, Caller, Member } from "../../domain/accounts/caller.ts"
import { sameSecret } from "../../domain/keys/digest.ts"
import { isSecretForm } from "../../domain/keys/secret.ts"
import { clientNetwork } from "../../domain/limits/network.ts"
import { AppError } from "../../errors.ts"

type Needs = Pick<Deps, "digests" | "gates" | "limits" | "sessions" | "adminSecret">

/** What a request shows of its sender. */
export interface Credentials {
  readonly adminSecret: string | undefined
  readonly apiKey: string | undefined
  readonly sessionToken: string | undefined
  /** As the platform says it, never as the client says it. */
  readonly clientIp: string | undefined
}

/** One answer for a missing, malformed, unknown and revoked key, so that none can be told from another. */
export const KEY_REFUSED = "the API key is invalid or revoked"
const ADMIN_FAILURES = { limit: 10, windowMs: 60_000 } as const

/** Who is asking. What is shown must hold: a bad key is refused, not taken for none. @throws AppError unauthorized, forbidden */
export async function identify(needs: Needs, credentials: Credentials): Promise<Caller> {
  if (credentials.adminSecret !== undefined) return identifyAdmin(needs, credentials.adminSecret, credentials.clientIp)
  if (credentials.apiKey !== undefined) return identifyKey(needs, credentials.apiKey)
  if (credentials.sessionToken !== undefined) return identifySession(needs, credentials.sessionToken)
  return identifyNetwork(needs, credentials.clientIp)
}

async function identifyAdmin(
  { adminSecret, digests, gates }: Needs,
  given: string,
  ip: string | undefined,
): Promise<Caller> {
  if (adminSecret !== null && (await sameSecret(given, adminSecret))) return { kind: "admin" }
  const client = await digests.of("admin-failures", clientNetwork(ip))
  await countOrRefuse(gates.ofAction(`admin:${client}`), ADMIN_FAILURES)
  throw new AppError("forbidden", "this needs the admin secret")
}

async function identifyKey(needs: Needs, secret: string): Promise<Member> {
  if (!isSecretForm(secret)) throw new AppError("unauthorized", KEY_REFUSED)
  for (const digest of await needs.digests.candidates("key", secret)) {
    const state = await needs.gates.ofKey(digest).open(digest)
    if (state.kind === "active") return memberByKey(needs, state.key)
    if (state.kind === "unavailable") throw storeUnavailable()
  }
  throw new AppError("unauthorized", KEY_REFUSED)
}

function memberByKey({ limits }: Needs, { keyId, accountId, ownerEmail, tier }: OpenKey): Member {
  return {
    kind: "member",
    accountId,
    keyId,
    email: ownerEmail,
    tier,
    subject: accountId,
    allowance: limits.table[tier],
  }
}

async function identifySession({ sessions, limits }: Needs, token: string): Promise<Member> {
  const session = await sessions.find(token)
  if (!session) throw new AppError("unauthorized", "the session is invalid or has ended")
  const { accountId, email, tier } = session
  return { kind: "member", accountId, keyId: null, email, tier, subject: accountId, allowance: limits.table[tier] }
}

async function identifyNetwork({ digests, limits }: Needs, ip: string | undefined): Promise<Anonymous> {
  const hash = await digests.of("network", clientNetwork(ip))
  return { kind: "anonymous", subject: `ip:${hash.slice(0, 32)}`, allowance: limits.anonymous }
}
