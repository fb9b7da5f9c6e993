import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"

/** Mails a sign-in link. With a key, the link proves that the key's mailbox belongs to its holder. */
export function ConfirmMailbox({ email }: { email: string }) {
  const [isSent, setSent] = useState(false)
  const { busy, problem, run } = useAction(async () => {
    setSent(false)
    const answer = await call("/auth/request", { method: "POST", json: { email } })
    if (answer.ok) setSent(true)
    return answer.ok ? null : answer.problem
  })
  return (
    <Panel title="Confirm the mailbox">
      <p>
        An API key does not prove that <span class="break">{email}</span> is yours. A sign-in link does. Signed in by
        it, you can export the account, delete it, read invoices and decide about keys made in its name.
      </p>
      <div>
        <button type="button" class="button primary" aria-disabled={busy} onClick={() => void run()}>
          Email me a sign-in link
        </button>
      </div>
      <ProblemNotice problem={problem} />
      {isSent && (
        <Notice tone="valid" title="Check your inbox">
          <p>If the mailbox can receive mail, a link is on its way. It works once and expires after 15 minutes.</p>
        </Notice>
      )}
    </Panel>
  )
}
