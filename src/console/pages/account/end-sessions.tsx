import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { recordSession } from "../../api/credentials.ts"
import { useAction } from "../../api/load.ts"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { useSession } from "../../session.tsx"
import { counted } from "../../words.ts"

/** Ends the sessions of the account, as after a lost device. */
export function EndSessions() {
  const { refresh } = useSession()
  const [ended, setEnded] = useState<number | null>(null)
  const { busy, problem, run } = useAction(async (keepsCurrent: boolean) => {
    setEnded(null)
    const query = new URLSearchParams({ keep_current: String(keepsCurrent) })
    const answer = await call<{ ended: number }>(`/me/sessions?${query}`, { method: "DELETE" })
    if (!answer.ok) return answer.problem
    if (keepsCurrent) setEnded(answer.body.ended)
    else {
      recordSession(false)
      await refresh()
    }
    return null
  })
  return (
    <Panel title="Sessions">
      <p>
        Signs out browsers and programs that signed in to this account, as after a lost device. API keys keep working.
      </p>
      <div class="row">
        <button type="button" class="button" aria-disabled={busy} onClick={() => void run(true)}>
          End all other sessions
        </button>
        <button type="button" class="button" aria-disabled={busy} onClick={() => void run(false)}>
          End all sessions
        </button>
      </div>
      <ProblemNotice problem={problem} />
      {ended !== null && <Notice tone="valid" title={`${counted(ended, "other session")} ended`} />}
    </Panel>
  )
}
