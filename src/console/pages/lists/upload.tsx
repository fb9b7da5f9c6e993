import { useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { UploadedJob } from "../../api/shapes.ts"
import { Check, Field } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { go } from "../../route.ts"
import { DropZone } from "./drop-zone.tsx"

interface UploadOptions {
  readonly smtp: boolean
  readonly deduplicate: boolean
  readonly emailColumn: string
  readonly webhookUrl: string
}

/** The service's limit, checked before an upload that can take minutes. */
const MAX_BYTES = 20_000_000

/** Uploads a file and opens the page of its job. */
export function Upload() {
  const [options, setOptions] = useState<UploadOptions>({
    smtp: true,
    deduplicate: true,
    emailColumn: "",
    webhookUrl: "",
  })
  const set = (change: Partial<UploadOptions>) => setOptions({ ...options, ...change })
  const { busy, problem, run } = useAction((file: File) => upload(file, options))
  return (
    <section class="panel" aria-label="New list">
      <DropZone busy={busy} onFile={(file) => void run(file)} />
      <ProblemNotice problem={problem} />
      <details>
        <summary>Options</summary>
        <div class="stack">
          <Check
            label="Probe the mail servers"
            hint="otherwise only syntax and DNS are checked"
            checked={options.smtp}
            onChecked={(smtp) => set({ smtp })}
          />
          <Check
            label="Verify duplicate addresses once"
            hint="all rows stay in the download"
            checked={options.deduplicate}
            onChecked={(deduplicate) => set({ deduplicate })}
          />
          <div class="row">
            <Field
              label="Email column"
              hint="Name or number, from 1. Leave empty to detect it."
              value={options.emailColumn}
              onValue={(emailColumn) => set({ emailColumn })}
            />
            <Field
              label="Webhook"
              hint="Called when the list is done"
              placeholder="https://"
              value={options.webhookUrl}
              onValue={(webhookUrl) => set({ webhookUrl })}
            />
          </div>
        </div>
      </details>
    </section>
  )
}

async function upload(file: File, options: UploadOptions): Promise<Problem | null> {
  if (file.size > MAX_BYTES) {
    const message = `The file is too large (${(file.size / 1e6).toFixed(1)} MB, at most 20 MB). Split it or remove columns.`
    return { status: 413, message, requestId: null }
  }
  const query = new URLSearchParams({ smtp: String(options.smtp), deduplicate: String(options.deduplicate) })
  if (options.emailColumn.trim()) query.set("email_column", options.emailColumn.trim())
  if (options.webhookUrl.trim()) query.set("webhook_url", options.webhookUrl.trim())
  const form = new FormData()
  form.set("file", file)
  const answer = await call<UploadedJob>(`/bulk/upload?${query}`, { method: "POST", body: form })
  if (!answer.ok) return answer.problem
  go(`#/lists/${answer.body.job_id}`)
  return null
}
