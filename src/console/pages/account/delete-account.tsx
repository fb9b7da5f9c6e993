import { useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import { recordSession } from "../../api/credentials.ts"
import { useAction } from "../../api/load.ts"
import type { Account } from "../../api/shapes.ts"
import { Dialog } from "../../parts/dialog.tsx"
import { Field } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { go, signInLink } from "../../route.ts"
import { useSession } from "../../session.tsx"

export function DeleteAccount({ account }: { account: Account }) {
  const [open, setOpen] = useState(false)
  return (
    <Panel title="Delete the account">
      <p>Erases the account with its lists, results, keys and settings. This cannot be undone.</p>
      {account.signed_in_by === "key" ? (
        <p class="soft">An API key cannot delete the account. Sign in by email first.</p>
      ) : (
        <div>
          <button type="button" class="button danger" onClick={() => setOpen(true)}>
            Delete the account
          </button>
        </div>
      )}
      {open && <DeleteDialog email={account.email} onClose={() => setOpen(false)} />}
    </Panel>
  )
}

/** Deletes only after the mailbox is typed. */
function DeleteDialog({ email, onClose }: { email: string; onClose: () => void }) {
  const { refresh } = useSession()
  const [typed, setTyped] = useState("")
  const { busy, problem, run } = useAction(async () => {
    const answer = await call(`/me?${new URLSearchParams({ confirm: typed.trim() })}`, { method: "DELETE" })
    if (!answer.ok) return inWords(answer.problem)
    recordSession(false)
    onClose()
    go("#/")
    await refresh()
    return null
  })
  return (
    <Dialog title="Delete the account?" onClose={onClose}>
      <ul class="bullets">
        <li>Its lists, results, suppressions, webhooks and integrations are erased.</li>
        <li>Its keys and sessions stop working at once. Programs that use a key fail.</li>
        <li>Bought credits that are left are lost.</li>
        <li>This cannot be undone. Export the account first to keep a copy.</li>
      </ul>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Field label="Type your mailbox" hint={email} kind="email" value={typed} onValue={setTyped} required />
        <ProblemNotice problem={problem} />
        {problem?.status === 403 && <a href={signInLink()}>Sign in again</a>}
        {problem?.status === 409 && <a href="#/billing">Cancel the subscription</a>}
        <div class="row">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button danger" aria-disabled={busy}>
            Delete the account
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const WORDS: Readonly<Record<number, string>> = {
  400: "This is not the mailbox of the account.",
  403: "Your sign-in is older than 15 minutes. Sign in again, then delete the account.",
  409: "A subscription is running. Cancel it first, so that you are not charged again.",
}

const inWords = (problem: Problem): Problem => ({ ...problem, message: WORDS[problem.status] ?? problem.message })
