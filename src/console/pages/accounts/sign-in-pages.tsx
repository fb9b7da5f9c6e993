import { useEffect, useState } from "preact/hooks"
import { change, useAction, useGet } from "../../api/call.ts"
import type { GoogleConfig, Health, SignedIn } from "../../api/shapes.ts"
import { cleanSecret, credentials, recordSession, setApiKey, tabStorage } from "../../api/storage.ts"
import { ActionButton, Button, Link } from "../../parts/buttons.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { Notice, ProblemNotice, Skeleton } from "../../parts/text.tsx"
import { consumeGoogleReturn, go, returnPage } from "../../route.ts"
import { useSession } from "../../session.tsx"

/** @param back the page to open after the sign-in */
export function SignInPage({ back }: { back: string }) {
  const { account } = useSession()
  return (
    <Page title="Sign in" lead="There are no passwords.">
      {account && (
        <Notice tone="accent" title={`You are signed in as ${account.email}`}>
          {account.signed_in_by === "key" && (
            <p>To add this key to your account, request a link here. After the sign-in you can join the key.</p>
          )}
        </Notice>
      )}
      <div class="columns">
        <ByLink />
        <ByKey back={back} />
      </div>
      <ByGoogle back={back} />
    </Page>
  )
}

function ByLink() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useForm(
    {
      email: {
        label: "Your email address",
        kind: "email",
        autoComplete: "email",
        hint: "The first sign-in creates the account.",
        required: true,
      },
    },
    (json, labels) => change("/auth/request", { method: "POST", json, labels }, () => setSentTo(json.email)),
  )
  return (
    <Panel title="By email">
      <Form of={form} submit="Email me a link" busyLabel="Sending" />
      {sentTo && (
        <Notice tone="valid" title="Check your inbox">
          <p>
            If <span class="break">{sentTo}</span> can receive mail, a link is on its way. It works once and expires
            after 15 minutes.
          </p>
        </Notice>
      )}
      {sentTo && <ByCode />}
    </Panel>
  )
}

/** Signs in with the code: the link opens a new tab, and the email may be on another device. */
function ByCode() {
  const form = useForm(
    {
      code: {
        label: "Code from the email",
        autoComplete: "one-time-code",
        hint: "For this tab only, without the link.",
        required: true,
      },
    },
    ({ code }) => {
      go(`#/sign-in/${encodeURIComponent(cleanSecret(code))}`)
      return null
    },
  )
  return <Form of={form} submit="Sign in" layout="row" />
}

function ByKey({ back }: { back: string }) {
  const { useKey } = useSession()
  const hint = "Stored in this tab until you close it."
  const form = useForm({ key: { label: "API key", kind: "secret", hint, required: true } }, async ({ key }) => {
    const problem = await useKey(key)
    if (!problem) go(back)
    return problem
  })
  return (
    <Panel title="With an API key">
      <Form of={form} submit="Use the key" busyLabel="Checking" />
    </Panel>
  )
}

/** A button where the service has a Google client. @param back the page to open after the sign-in */
function ByGoogle({ back }: { back: string }) {
  const health = useGet<Health>("/health")
  if (health.state !== "ready" || !health.value.google_sign_in) return null
  return (
    <section class="panel" aria-label="With Google">
      <div class="row">
        <ActionButton
          label="Sign in with Google"
          onAct={() => change<GoogleConfig>("/auth/google/config", {}, (config) => beginGoogleSignIn(config, back))}
        />
        <span class="soft small">For Gmail and Google Workspace mailboxes.</span>
      </div>
    </section>
  )
}

/**
 * Target of the link in the email. The link works once, so the page removes it from the history.
 * Another site can open a link to its own account. The service therefore requires a confirmation where this browser did
 * not request the link.
 */
export function TokenPage({ token }: { token: string }) {
  const enter = useEntry("#/lists")
  const { problem, run } = useAction((confirm: boolean) =>
    // Without the key in use: a link only signs in. The owner decides about the key on the page of keys.
    change<SignedIn>("/auth/verify", { method: "POST", json: { token, confirm }, apiKey: null }, enter),
  )
  useEffect(() => {
    void run(false)
  }, [])
  if (problem?.email !== undefined) return <Confirm email={problem.email} onConfirm={() => void run(true)} />
  return (
    <Page title="Signing in">
      {!problem && <Skeleton lines={2} label="Signing in" />}
      {problem?.status === 401 ? (
        <Notice tone="invalid" title="This link has expired or was already used">
          <p>A link works once and expires after 15 minutes.</p>
          <Link label="Request a new link" to="#/sign-in" class="button" />
        </Notice>
      ) : (
        <ProblemNotice problem={problem} retry={() => void run(false)} />
      )}
    </Page>
  )
}

/** Opens the page after a sign-in, whose session replaces a key in use. */
function useEntry(back: string) {
  const { refresh } = useSession()
  return async ({ unconfirmed_keys: unconfirmed }: SignedIn) => {
    setApiKey(null)
    recordSession(true)
    await refresh()
    go(unconfirmed > 0 ? "#/keys" : back, { replace: true })
  }
}

function Confirm({ email, onConfirm }: { email: string; onConfirm: () => void }) {
  const lead = (
    <>
      This link signs you in as <strong class="break">{email}</strong>. You did not request it in this browser.
    </>
  )
  return (
    <Page title="Sign in with this link?" lead={lead}>
      <p>If this is not your mailbox, close this page: its owner would see what you do in the account.</p>
      {credentials().apiKey !== null && <p>After the sign-in, this tab no longer uses its API key.</p>}
      <Button label={`Sign in as ${email}`} class="button primary" onClick={onConfirm} />
    </Page>
  )
}

const NOT_SIGNED_IN = {
  cancelled: ["You did not sign in", "Google returned without a sign-in."],
  foreign: [
    "This sign-in did not begin in this tab",
    "For your safety it was not used. It may also have been used already.",
  ],
} as const

export function GoogleReturnPage() {
  const [answer] = useState(() => finishGoogleSignIn(consumeGoogleReturn()))
  const enter = useEntry(answer.kind === "token" ? answer.back : "#/")
  const { problem, run } = useAction(async () =>
    answer.kind === "token"
      ? change<SignedIn>("/auth/google/me", { idToken: answer.idToken, apiKey: null }, enter)
      : null,
  )
  useEffect(() => {
    void run()
  }, [])
  if (answer.kind === "token")
    return (
      <Page title="Signing in with Google">
        {problem ? (
          <>
            <ProblemNotice problem={problem} />
            <SignInAgain />
          </>
        ) : (
          <Skeleton lines={2} label="Signing in" />
        )}
      </Page>
    )
  const [title, reason] = NOT_SIGNED_IN[answer.kind]
  return (
    <Page title="Sign in with Google">
      <Notice tone="accept_all" title={title}>
        <p>{reason}</p>
        <SignInAgain />
      </Notice>
    </Page>
  )
}

const SignInAgain = () => <Link label="Sign in" to="#/sign-in" class="button" />

interface Begun {
  /** Returned by Google beside the token: another site cannot sign this visitor in to its own account. */
  readonly state: string
  /** Returned by Google inside the token: the token is for this sign-in. */
  readonly nonce: string
  readonly back: string
}

const BEGUN = "mailverdict.google"

/** The URL that Google must know as a redirect URI of the client. */
const redirectUri = (): string => `${location.origin}/console/`

/**
 * Leaves the console for Google's page, which returns with an ID token (OpenID Connect Core 1.0, section 3.2, implicit
 * flow: the service keeps no secret of Google).
 */
export function beginGoogleSignIn({ client_id, auth_url }: GoogleConfig, back: string): void {
  const begun: Begun = { state: crypto.randomUUID(), nonce: crypto.randomUUID(), back }
  tabStorage.setItem(BEGUN, JSON.stringify(begun))
  const url = new URL(auth_url)
  const request = { response_type: "id_token", scope: "openid email profile", redirect_uri: redirectUri() }
  const { state, nonce } = begun
  const query = { ...request, client_id, state, nonce, prompt: "select_account" }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  location.assign(url)
}

export type GoogleSignIn =
  | { readonly kind: "token"; readonly idToken: string; readonly back: string }
  /** The visitor refused at Google. */
  | { readonly kind: "cancelled" }
  /** The answer belongs to no sign-in of this tab. */
  | { readonly kind: "foreign" }

/** Compares Google's answer with the sign-in that this tab began. It can be used once. */
export function finishGoogleSignIn(answer: URLSearchParams | null): GoogleSignIn {
  const begun = JSON.parse(tabStorage.getItem(BEGUN) ?? "null") as Begun | null
  tabStorage.removeItem(BEGUN)
  if (!answer || !begun || answer.get("state") !== begun.state) return { kind: "foreign" }
  const idToken = answer.get("id_token")
  if (!idToken) return { kind: "cancelled" }
  if (nonceOf(idToken) !== begun.nonce) return { kind: "foreign" }
  return { kind: "token", idToken, back: returnPage(begun.back) }
}

/** Reads the nonce of an unverified token; the service verifies the signature. Null when it has none. */
function nonceOf(idToken: string): string | null {
  try {
    const payload = (idToken.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")
    const { nonce } = JSON.parse(atob(payload)) as { nonce?: unknown }
    return typeof nonce === "string" ? nonce : null
  } catch {
    return null
  }
}
