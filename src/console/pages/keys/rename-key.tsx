import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Key } from "../../api/shapes.ts"
import { Dialog } from "../../parts/dialog.tsx"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { LABELS } from "./restrictions.ts"

/** A button that opens a dialog with the name of a key. */
export function RenameKey({ of: key, onChange }: { of: Key; onChange: () => void }) {
  const [name, setName] = useState<string | null>(null)
  const { busy, problem, run, clearProblem } = useAction(async () => {
    const init = { method: "PATCH", json: { name: name?.trim() }, labels: LABELS } as const
    const answer = await call<Key>(`/keys/${encodeURIComponent(key.key_id)}`, init)
    return answer.ok ? null : answer.problem
  })
  function close() {
    setName(null)
    clearProblem()
  }
  async function rename(event: Event) {
    event.preventDefault()
    if (!(await run())) return
    close()
    onChange()
  }
  return (
    <>
      <button type="button" class="button quiet" onClick={() => setName(key.name)}>
        Rename
      </button>
      {name !== null && (
        <Dialog title={`Rename “${key.name}”`} onClose={close}>
          <form class="stack" onSubmit={(event) => void rename(event)}>
            <Field label="Name" value={name} onValue={setName} required />
            <ProblemNotice problem={problem} />
            <div class="row">
              <SubmitButton label="Rename" busy={busy} />
              <button type="button" class="button" onClick={close}>
                Cancel
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}
