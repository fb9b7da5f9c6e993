import { useEffect, useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { credentials, isAnonymous, recordSession, setApiKey } from "../../api/credentials.ts"
import { useAction } from "../../api/load.ts"
import type { SignedIn } from "../../api/shapes.ts"
import { Notice, ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { Page } from "../../parts/page.tsx"
import { go, isFromOutside } from "../../route.ts"
import { useSession } from "../../session.tsx"

/**
 * Target of the link in the email. The link works once, so the page removes it from the history.
 * Another site can open a link to its own account. A signed-in visitor must therefore confirm the change of account.
 */
export function TokenPage({ token }: { token: string }) {
  const { refresh } = useSession()
  const { problem, run } = useAction(async () => {
    // Without the key in use: a link only signs in. The owner decides about the key on the page of keys.
    const answer = await call<SignedIn>("/auth/verify", { method: "POST", json: { token }, apiKey: null })
    if (!answer.ok) return answer.problem
    setApiKey(null)
    recordSession(true)
    await refresh()
    go(answer.body.unconfirmed_keys > 0 ? "#/keys" : "#/lists", { replace: true })
    return null
  })
  const [isConfirmed, setConfirmed] = useState(isAnonymous() || !isFromOutside())
  useEffect(() => {
    if (isConfirmed) void run()
  }, [isConfirmed])
  if (!isConfirmed) return <Confirm onConfirm={() => setConfirmed(true)} />
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
        <ProblemNotice problem={problem} retry={() => void run()} />
      )}
    </Page>
  )
}

function Confirm({ onConfirm }: { onConfirm: () => void }) {
  const change =
    credentials().apiKey === null
      ? "You are signed in already. This link may lead to another account."
      : "This tab uses an API key. After the sign-in, the tab uses the account of this link instead."
  return (
    <Page title="Sign in with this link?" lead={change}>
      <p>Continue only if you requested the link yourself.</p>
      <button type="button" class="button primary" onClick={onConfirm}>
        Sign in
      </button>
    </Page>
  )
}
