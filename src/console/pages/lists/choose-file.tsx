import { useEffect, useState } from "preact/hooks"
import { useGet } from "../../api/load.ts"
import type { Health } from "../../api/shapes.ts"
import { Button } from "../../parts/buttons.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { SANDBOX_EXAMPLES } from "../verify/sandbox-examples.ts"

const TYPES = ".csv,.tsv,.txt,.xlsx"

/** Keeps a file that is dropped beside the zone from being opened by the browser, which would leave the page. */
export function useSafeDrops(): void {
  useEffect(() => {
    const preventOpening = (event: Event) => event.preventDefault()
    addEventListener("dragover", preventOpening)
    addEventListener("drop", preventOpening)
    return () => {
      removeEventListener("dragover", preventOpening)
      removeEventListener("drop", preventOpening)
    }
  }, [])
}

/** Takes a dropped file. A click or the keyboard opens the file chooser. */
export function DropZone({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
  const [over, setOver] = useState(false)
  const choose = (files: FileList | null | undefined) => {
    const file = files?.[0]
    if (file && !busy) onFile(file)
  }
  return (
    <label
      class={over ? "drop over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        choose(event.dataTransfer?.files)
      }}
    >
      <input
        class="unseen"
        type="file"
        accept={TYPES}
        disabled={busy}
        onChange={(event) => {
          choose(event.currentTarget.files)
          event.currentTarget.value = ""
        }}
      />
      {busy ? (
        <>
          <b>Reading the file</b>
          <span class="soft">Large files take a moment.</span>
        </>
      ) : (
        <>
          <b class="by-mouse">Drop a CSV, Excel or text file here, or click to choose one</b>
          <b class="by-touch">Choose a CSV, Excel or text file</b>
          <span class="soft">Up to 20 MB. You see its first rows and the cost before it is verified.</span>
        </>
      )}
    </label>
  )
}

/** Takes pasted addresses as a text file. */
export function Paste({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
  const form = useForm({ text: { label: "Addresses, one per line", kind: "lines", rows: 6 } }, ({ text }) => {
    if (text.trim() !== "" && !busy) onFile(new File([text], "Pasted addresses", { type: "text/plain" }))
    return null
  })
  return (
    <details>
      <summary>Paste addresses instead</summary>
      <Form of={form} submit="Continue" isBusy={busy || form.values.text.trim() === ""} />
    </details>
  )
}

/** Offers a small list to try, where the sandbox addresses work. */
export function SandboxList({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
  const health = useGet<Health>("/health")
  if (health.state !== "ready" || !health.value.sandbox) return null
  function choose() {
    // A deferred address is tried again for minutes, and a first list should end soon.
    const examples = SANDBOX_EXAMPLES.filter(([, status]) => status !== "unknown")
    const lines = examples.map(([email], n) => `Person ${n + 1},${email}`)
    onFile(new File([["Name,Email", ...lines, ""].join("\r\n")], "sandbox.csv", { type: "text/csv" }))
  }
  return (
    <div>
      <Button label="Try a list of sandbox addresses" class="button quiet" isBlocked={busy} onClick={() => choose()} />
    </div>
  )
}
