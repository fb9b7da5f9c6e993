import { useEffect } from "preact/hooks"
import { call } from "../../api/call.ts"
import { credentials, recordSession, setApiKey } from "../../api/credentials.ts"
import { useAction } from "../../api/load.ts"
import type { SignedIn } from "../../api/shapes.ts"
import { Notice, ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { Page } from "../../parts/page.tsx"
import { go } from "../../route.ts"
import { useSession } from "../../session.tsx"

/**
 * Target of the link in the email. The link works once, so the page removes it from the history.
 * Another site can open a link to its own account. The service therefore asks for a confirmation where this browser did
 * not request the link.
 */
export function TokenPage({ token }: { token: string }) {
  const { refresh } = useSession()
  const { problem, run } = useAction(async (confirm: boolean) => {
    // Without the key in use: a link only signs in. The owner decides about the key on the page of keys.
    const json = { token, confirm }
    const answer = await call<SignedIn>("/auth/verify", { method: "POST", json, apiKey: null })
    if (!answer.ok) return answer.problem
    setApiKey(null)
    recordSession(true)
    await refresh()
    go(answer.body.unconfirmed_keys > 0 ? "#/keys" : "#/lists", { replace: true })
    return null
  })
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
      <button type="button" class="button primary" onClick={onConfirm}>
        Sign in as {email}
      </button>
    </Page>
  )
}
