import { useState } from "preact/hooks"
import { useAction } from "../../api/load.ts"
import { saveFile } from "../../api/save-file.ts"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"

/** Saves what the account stores about an address as a file. */
export function ExportData() {
  const [email, setEmail] = useState("")
  const [saved, setSaved] = useState<string | null>(null)
  const { busy, problem, run } = useAction(async () => {
    setSaved(null)
    const address = email.trim()
    const found = await saveFile(`/gdpr/export?${new URLSearchParams({ email: address })}`, `${address}.json`)
    if (!found) setSaved(address)
    return found && { ...found, message: found.message.replace(/^email/i, "Email") }
  })
  return (
    <Panel title="Export about an address" note="JSON">
      <p class="soft">For a person who requests a copy of their data.</p>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Field label="Address to export" kind="email" value={email} onValue={setEmail} required />
        <div>
          <SubmitButton label="Export" busy={busy} busyLabel="Exporting" />
        </div>
      </form>
      <ProblemNotice problem={problem} />
      {saved && (
        <Notice tone="valid" title="Exported">
          <p class="break">Everything that your account stores about {saved} is in the file.</p>
        </Notice>
      )}
    </Panel>
  )
}
