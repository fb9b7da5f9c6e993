import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Account, NewKey } from "../../api/shapes.ts"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"

/** Without an account, the form takes the owner's address. With one, the key gets the account's plan. */
export function CreateKey({ account, onCreated }: { account: Account | null; onCreated: (key: NewKey) => void }) {
  const [name, setName] = useState("")
  const [email, setEmail] = useState("")
  const { busy, problem, run } = useAction(async () => {
    const json = { name: name.trim(), owner_email: account?.email ?? email.trim(), tier: account?.tier }
    const answer = await call<NewKey>("/keys", { method: "POST", json })
    if (!answer.ok) return answer.problem
    setName("")
    onCreated(answer.body)
    return null
  })
  return (
    <Panel title="New key">
      <form
        class="row end"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Field label="Name" placeholder="newsletter pipeline" value={name} onValue={setName} required />
        {!account && (
          <Field
            label="Your email address"
            inputMode="email"
            autoComplete="email"
            value={email}
            onValue={setEmail}
            required
          />
        )}
        <SubmitButton label="Create key" busy={busy} />
      </form>
      <ProblemNotice problem={problem} />
    </Panel>
  )
}
