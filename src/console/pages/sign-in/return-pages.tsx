import { useEffect, useState } from "preact/hooks"
import { change } from "../../api/call.ts"
import { credentials, recordSession, setApiKey } from "../../api/credentials.ts"
import { useAction } from "../../api/load.ts"
import type { SignedIn } from "../../api/shapes.ts"
import { takeGoogleReturn } from "../../google-return.ts"
import { Button } from "../../parts/buttons.tsx"
import { Notice, ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { Page } from "../../parts/page.tsx"
import { go } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { finishGoogleSignIn } from "./google-sign-in.ts"

/**
 * Target of the link in the email. The link works once, so the page removes it from the history.
 * Another site can open a link to its own account. The service therefore asks for a confirmation where this browser did
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
          <a class="button" href="#/sign-in">
            Request a new link
          </a>
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

/** Exchanges what Google returned for a session. */
export function GoogleReturnPage() {
  const [answer] = useState(() => finishGoogleSignIn(takeGoogleReturn()))
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

const SignInAgain = () => (
  <a class="button" href="#/sign-in">
    Sign in
  </a>
)
