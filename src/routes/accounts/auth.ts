import { z } from "@hono/zod-openapi"
import type { Context } from "hono"
import { TIERS } from "../../../schema/vocabulary.ts"
import { isSecretForm, withSignIn } from "../../domain/accounts/credentials.ts"
import { hex, sha256 } from "../../domain/accounts/crypto.ts"
import { iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { apiKeyOf, bearerOf, clientIpOf } from "../../http/access.ts"
import {
  browserOf,
  clearSessionCookie,
  readSessionCookie,
  setBrowserCookie,
  setSessionCookie,
} from "../../http/cookies.ts"
import { type AppEnv, type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { component, orElse } from "../../http/fields.ts"
import { ownerMailbox } from "../../http/input-fields.ts"
import { helpLink } from "../../http/response-headers.ts"
import { ok, Problem } from "../../http/responses.ts"
import { emailOf, findCredential } from "../../services/accounts/identify.ts"
import { beginSession, requestSignIn, type SignedIn, signIn } from "../../services/accounts/sign-in.ts"
import { MAX_COUNTED } from "../../services/accounts/unconfirmed-keys.ts"

const endpoint = endpointsOf("sign-in")

const request = endpoint("key-optional", "POST /auth/request", {
  operationId: "requestSignIn",
  summary: "Request a sign-in link",
  description:
    "Mails a link that signs in once, for 15 minutes. The answer is the same whether or not an account exists. The link only signs in. An API key without restrictions is then among the session's unconfirmed keys (GET /me/unconfirmed-keys), to join or revoke: when it was made in the mailbox's name, or when the same browser requests the link with it and opens it.",
  json: z.object({ email: ownerMailbox() }),
  answer: z.object({ status: z.literal("sent"), message: z.string() }),
  problems: [400],
  async handle(c) {
    const { caller, ctx } = c.var
    // A session may join the account of the key that requested it, which would undo the key's restrictions.
    const keyId = caller.kind === "member" && !caller.restrictions ? caller.keyId : null
    const browser = browserOf(c)
    await requestSignIn(ctx, { email: c.req.valid("json").email, keyId, clientIp: clientIpOf(c), browser })
    if (browser) setBrowserCookie(c, browser)
    const message = "If this address can receive mail, a sign-in link is on its way. It works once, for 15 minutes."
    return { status: "sent" as const, message }
  },
})

const Session = component("Session", {
  session_token: z.string().openapi({ description: "Send it as a bearer token; browsers get it as a cookie too" }),
  expires_at: z.iso.datetime(),
  account_id: z.string(),
  email: z.string(),
  adopted_keys: z.int().openapi({ description: "Keys that joined the account, because the request had one of them" }),
  unconfirmed_keys: z.int().openapi({
    description: `Keys to join or revoke: see GET /me/unconfirmed-keys. Counted up to ${MAX_COUNTED}`,
  }),
})

function presentSession(signedIn: SignedIn): z.infer<typeof Session> {
  return {
    session_token: signedIn.token,
    expires_at: iso(signedIn.expiresAt),
    account_id: signedIn.accountId,
    email: signedIn.email,
    adopted_keys: signedIn.adoptedKeys,
    unconfirmed_keys: signedIn.unconfirmedKeys,
  }
}

const ConfirmSignIn = Problem.extend({
  email: z
    .string()
    .openapi({ description: "The mailbox of the link, which stays unused", example: "owner@example.org" }),
}).openapi("ConfirmSignIn")

const verify = endpoint("public", "POST /auth/verify", {
  operationId: "signIn",
  summary: "Sign in by a link",
  description:
    "Exchanges the token of a mailed link for a session token. The link works once, for 15 minutes. An API key without restrictions in `X-API-Key` joins the account, with its lineage. `unconfirmed_keys` counts keys that wait to be joined or revoked. In a page of this service, a browser that did not request the link gets 409 with the mailbox: `confirm` then signs in. Programs need no `confirm`.",
  security: [{}, { ApiKey: [] }],
  json: z.object({
    token: z.string().min(1).max(200).openapi({ description: "The code of the mailed link", example: "…" }),
    confirm: orElse(z.boolean(), false).openapi({
      description: "In a browser: sign in although another browser or program requested the link",
      example: false,
    }),
  }),
  answer: Session,
  responses: { 409: ok(ConfirmSignIn, "This browser did not request the link") },
  async handle(c) {
    const { token, confirm } = c.req.valid("json")
    const browser = browserOf(c)
    // A program's caller names the token itself. A page can be opened with the token of another site.
    const isConfirmed = confirm || browser === null
    const by = { apiKey: apiKeyOf(c), browserId: browser?.id ?? null, clientIp: clientIpOf(c) }
    const opened = { linkToken: token, ...by, isConfirmed }
    const signedIn = await signIn(c.var.ctx, opened)
    if ("toConfirm" in signedIn) {
      const detail = "this browser did not request the link; send confirm: true to sign in with it"
      const code = "confirmation_required"
      c.header("link", helpLink(code))
      return c.json({ detail, code, email: signedIn.toConfirm }, 409)
    }
    c.set("auditNote", { subject: signedIn.accountId, details: { adopted_keys: signedIn.adoptedKeys } })
    await setCookies(c, signedIn)
    return presentSession(signedIn)
  },
})

/** Gives a browser its session, and the proof that it signed in to this mailbox. */
async function setCookies(c: Context<AppEnv>, signedIn: SignedIn): Promise<void> {
  setSessionCookie(c, signedIn)
  const browser = browserOf(c)
  if (browser) setBrowserCookie(c, await withSignIn(c.var.ctx.digests, browser, signedIn.email))
}

const logout = endpoint("key", "POST /auth/logout", {
  operationId: "signOut",
  summary: "Sign out",
  description: "Ends the session of this call at once. Other sessions and keys keep working.",
  answer: z.object({ status: z.literal("signed_out") }),
  problems: [400],
  async handle(c) {
    const isByKey = member(c).keyId !== null
    const token = bearerOf(c) ?? (isByKey ? undefined : readSessionCookie(c).token)
    if (token === undefined || (isByKey && isSecretForm(token)))
      throw new AppError("bad_request", "a key has no session to end; revoke it with DELETE /keys/{key_id}")
    await c.var.ctx.store.sessions.end(token)
    clearSessionCookie(c)
    return { status: "signed_out" as const }
  },
})

const me = endpoint("key", "GET /auth/me", {
  operationId: "whoAmI",
  summary: "Get the account",
  description:
    "Returns the account behind the key or session: its identifier, mailbox and plan. Use it to test a credential.",
  answer: z.object({
    account_id: z.string(),
    email: z.string(),
    tier: z.enum(TIERS),
    signed_in_by: z.enum(["session", "key"]),
    key_id: z.string().nullable(),
  }),
  handle(c) {
    const caller = member(c)
    const { accountId, tier, keyId } = caller
    const signedInBy = keyId === null ? ("session" as const) : ("key" as const)
    return { account_id: accountId, email: emailOf(caller), tier, signed_in_by: signedInBy, key_id: keyId }
  },
})

const googleConfig = endpoint("public", "GET /auth/google/config", {
  operationId: "googleConfig",
  summary: "Get the Google sign-in settings",
  description: "Returns what a page needs to offer sign-in with Google. 503 when the operator did not configure it.",
  answer: component("GoogleConfig", {
    client_id: z.string(),
    provider: z.literal("google"),
    me_url: z.string().openapi({ description: "Exchanges an ID token for a session" }),
    auth_url: z.string().openapi({ description: "Google's page that asks the user to sign in" }),
  }),
  handle(c) {
    const { clientId, authUrl } = google(c)
    return {
      client_id: clientId,
      provider: "google" as const,
      me_url: `${c.var.ctx.config.baseUrl}/auth/google/me`,
      auth_url: authUrl,
    }
  },
})

const googleMe = endpoint("public", "GET /auth/google/me", {
  operationId: "signInWithGoogle",
  summary: "Sign in with Google",
  description:
    "Exchanges a Google ID token, sent as bearer token, for a session. The token must be made for this service's client id.",
  security: [{ GoogleIdToken: [] }, { GoogleIdToken: [], ApiKey: [] }],
  answer: Session.extend({ name: z.string().nullable() }),
  async handle(c) {
    google(c)
    const idToken = bearerOf(c)
    const user = idToken ? await googleUser(c, idToken) : null
    if (!user) throw new AppError("unauthorized", "the ID token is missing or not valid for this service")
    const newAccountId = `acc_${hex(c.var.ctx.randomBytes(12))}`
    const email = await c.var.ctx.store.sessions.emailOfIdentity({ provider: "google", newAccountId, ...user })
    if (email === null)
      throw new AppError("unauthorized", "Google does not host this mailbox, so it proves nothing; sign in by a link")
    const signedIn = await beginSession(c.var.ctx, { email, apiKey: apiKeyOf(c) })
    await setCookies(c, signedIn)
    return { ...presentSession(signedIn), name: user.name }
  },
})

async function googleUser(c: Context<AppEnv>, idToken: string) {
  const presented = { names: [`google token:${await sha256(idToken)}`], clientIp: clientIpOf(c) }
  return findCredential(c.var.ctx, presented, () => google(c).verify(idToken))
}

function google(c: Context<AppEnv>) {
  const { google } = c.var.ctx
  if (!google)
    throw new AppError("not_configured", "sign-in with Google is not configured: GOOGLE_CLIENT_ID is not set")
  return google
}

export const authEndpoints: Endpoint[] = [request, verify, logout, me, googleConfig, googleMe]
