import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Account, NewKey, Restrictions } from "../../api/shapes.ts"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { RestrictionFields } from "./restriction-fields.tsx"
import { draftOf, type Fault, LABELS, readDraft, UNRESTRICTED } from "./restrictions.ts"

/** Without an account, the form takes the owner's address. With one, the key gets the account's plan. */
export function CreateKey({ account, onCreated }: { account: Account | null; onCreated: (key: NewKey) => void }) {
  const [name, setName] = useState("")
  const [email, setEmail] = useState("")
  const [draft, setDraft] = useState(draftOf(UNRESTRICTED))
  // Counts the keys made: the part of the restrictions is folded again for the next key.
  const [made, setMade] = useState(0)
  const [fault, setFault] = useState<Fault | null>(null)
  const { busy, problem, run } = useAction(async (restrictions: Restrictions) => {
    const owner = { owner_email: account?.email ?? email.trim(), tier: account?.tier }
    const json = { name: name.trim(), ...owner, ...restrictions }
    const answer = await call<NewKey>("/keys", { method: "POST", json, labels: LABELS })
    if (!answer.ok) return answer.problem
    setName("")
    setDraft(draftOf(UNRESTRICTED))
    setMade(made + 1)
    onCreated(answer.body)
    return null
  })
  return (
    <Panel title="New key">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          const read = readDraft(draft, UNRESTRICTED, Date.now())
          const isFault = "field" in read
          setFault(isFault ? read : null)
          if (!isFault) void run(read)
        }}
      >
        <div class="row top">
          <Field label="Name" placeholder="newsletter pipeline" value={name} onValue={setName} required />
          {!account && (
            <Field
              label="Your email address"
              kind="email"
              autoComplete="email"
              value={email}
              onValue={setEmail}
              required
            />
          )}
        </div>
        <details key={made}>
          <summary>Restrict this key</summary>
          <p class="soft restrict-why">
            A key that leaves your servers should do only what its program needs. A restricted key cannot manage keys.
          </p>
          <RestrictionFields draft={draft} onDraft={setDraft} fault={fault} />
        </details>
        <div>
          <SubmitButton label="Create key" busy={busy} />
        </div>
      </form>
      <ProblemNotice problem={problem} />
    </Panel>
  )
}
