import { useEffect, useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { recordSession, setApiKey } from "../../api/credentials.ts"
import { useAction } from "../../api/load.ts"
import type { SignedIn } from "../../api/shapes.ts"
import { takeGoogleReturn } from "../../google-return.ts"
import { Notice, ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { Page } from "../../parts/page.tsx"
import { go } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { finishGoogleSignIn } from "./google-sign-in.ts"

const NOT_SIGNED_IN = {
  cancelled: ["You did not sign in", "Google returned without a sign-in."],
  foreign: [
    "This sign-in did not begin in this tab",
    "For your safety it was not used. It may also have been used already.",
  ],
} as const

/** Exchanges what Google returned for a session. */
export function GoogleReturnPage() {
  const { refresh } = useSession()
  const [answer] = useState(() => finishGoogleSignIn(takeGoogleReturn()))
  const { problem, run } = useAction(async () => {
    if (answer.kind !== "token") return null
    const signedIn = await call<SignedIn>("/auth/google/me", { idToken: answer.idToken, apiKey: null })
    if (!signedIn.ok) return signedIn.problem
    setApiKey(null)
    recordSession(true)
    await refresh()
    go(signedIn.body.unconfirmed_keys > 0 ? "#/keys" : answer.back, { replace: true })
    return null
  })
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
