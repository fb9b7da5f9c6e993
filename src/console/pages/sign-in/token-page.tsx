import { useEffect } from "preact/hooks"
import { call } from "../../api/call.ts"
import { keepApiKey, noteSession } from "../../api/credentials.ts"
import { useAction } from "../../api/load.ts"
import { Notice, ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { Page } from "../../parts/page.tsx"
import { go } from "../../route.ts"
import { useSession } from "../../session.tsx"

/** Where the link in the mail leads. It works once, so nothing of it stays in the history. */
export function TokenPage({ token }: { token: string }) {
  const { refresh } = useSession()
  const { problem, run } = useAction(async () => {
    const answer = await call("/auth/verify", { method: "POST", json: { token } })
    if (!answer.ok) return answer.problem
    // A key that was in use has been shown along, and is the account's now.
    keepApiKey(null)
    noteSession(true)
    await refresh()
    go("#/lists", { replace: true })
    return null
  })
  useEffect(() => void run(), [token])
  return (
    <Page title="Signing in">
      {!problem && <Skeleton lines={2} label="Signing in" />}
      {problem?.status === 401 ? (
        <Notice tone="invalid" title="This link does not work any more">
          <p>It works once, for 15 minutes.</p>
          <a class="button" href="#/sign-in">
            Ask for another link
          </a>
        </Notice>
      ) : (
        <ProblemNotice problem={problem} retry={() => void run()} />
      )}
    </Page>
  )
}
