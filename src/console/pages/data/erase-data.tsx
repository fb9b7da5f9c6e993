import { useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Erasure } from "../../api/shapes.ts"
import { Dialog } from "../../parts/dialog.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { Erased } from "./erased.tsx"

type Kind = "email" | "domain"

const KINDS = [
  ["email", "An address"],
  ["domain", "A domain and all its addresses"],
] as const
const PATHS: Readonly<Record<Kind, string>> = { email: "/gdpr/erase", domain: "/gdpr/domain" }
const LABELS: Readonly<Record<Kind, string>> = { email: "Address to erase", domain: "Domain to erase" }

/** Calls needed at most to erase one subject; each erases a bounded number of rows. */
const MAX_CALLS = 50

/** Erases what the account stores about an address or a domain, after a confirmation. */
export function EraseData() {
  const [kind, setKind] = useState<Kind>("email")
  const [subject, setSubject] = useState("")
  const [isAsking, setAsking] = useState(false)
  const [erased, setErased] = useState<{ subject: string; erasure: Erasure } | null>(null)
  const { busy, problem, run, clearProblem } = useAction(async () => {
    setErased(null)
    const answer = await erase(kind, subject.trim())
    setAsking(false)
    if ("problem" in answer) return answer.problem
    setErased({ subject: subject.trim(), erasure: answer.erasure })
    return null
  })
  return (
    <Panel title="Erase" note="cannot be undone">
      <p class="soft">For a person who requires erasure, or a customer who leaves.</p>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          clearProblem()
          setAsking(true)
        }}
      >
        <Select label="What" value={kind} options={KINDS} onValue={setKind} />
        <Field
          label={LABELS[kind]}
          kind={kind === "email" ? "email" : "text"}
          value={subject}
          onValue={setSubject}
          required
        />
        <div>
          <button type="submit" class="button danger" aria-disabled={busy}>
            Erase
          </button>
        </div>
      </form>
      <ProblemNotice problem={problem} />
      {erased && <Erased subject={erased.subject} erasure={erased.erasure} />}
      {isAsking && (
        <Dialog title={`Erase everything about ${subject.trim()}?`} onClose={() => setAsking(false)}>
          <p>
            Its results, and its rows in lists, are erased from your account. Hard bounces and complaints keep only a
            keyed hash, so that the address stays suppressed. This cannot be undone.
          </p>
          <div class="row">
            <button type="button" class="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
            <button type="button" class="button danger" aria-disabled={busy} onClick={() => void run()}>
              {busy ? "Erasing" : "Erase"}
            </button>
          </div>
        </Dialog>
      )}
    </Panel>
  )
}

/** Repeats the call until everything is erased, and adds its counts up. */
async function erase(kind: Kind, subject: string): Promise<{ erasure: Erasure } | { problem: Problem }> {
  const counts = new Map<string, Erasure["tables"][number]>()
  for (let calls = 1; ; calls++) {
    const answer = await call<Erasure>(PATHS[kind], {
      method: "POST",
      json: { [kind]: subject },
      labels: { email: "Address" },
    })
    if (!answer.ok) return answer
    for (const { table, removed, blanked } of answer.body.tables) {
      const before = counts.get(table) ?? { table, removed: 0, blanked: 0 }
      counts.set(table, { table, removed: before.removed + removed, blanked: before.blanked + blanked })
    }
    if (answer.body.complete || calls === MAX_CALLS)
      return { erasure: { ...answer.body, tables: [...counts.values()] } }
  }
}
