import { useEffect, useState } from "preact/hooks"
import { type Answer, call, type Problem, useAction, useGet } from "../../api/call.ts"
import type { Health, ListPreview, SampledList, UploadedJob } from "../../api/shapes.ts"
import { Button } from "../../parts/buttons.tsx"
import { Check, Field } from "../../parts/field.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Panel } from "../../parts/page.tsx"
import { ProblemNotice } from "../../parts/text.tsx"
import { go } from "../../route.ts"
import { credits, decimal } from "../../words.ts"
import { SANDBOX_EXAMPLES } from "../verification/examples.ts"
import { AS_FOUND, EncodingSelect, FilePreview, type Reading, SampleResult } from "./file-preview.tsx"

/** The service's limit, checked before an upload that can take minutes. */
const MAX_BYTES = 20_000_000
const LABELS = {
  email_column: "Email column",
  sheet: "Sheet",
  encoding: "Encoding of the text",
  webhook_url: "Webhook",
  file: "File",
}

interface Chosen {
  readonly file: File
  readonly reading: Reading
  readonly preview: ListPreview
}

/** Accepts a file, shows how it is read and what it costs, and verifies a sample or the whole list. */
export function Upload() {
  useSafeDrops()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [options, setOptions] = useState<ListOptions>(NO_OPTIONS)
  const [sample, setSample] = useState<SampledList | null>(null)
  /** A file whose encoding the reader must name. */
  const [undecoded, setUndecoded] = useState<File | null>(null)
  const reading = useAction(async ({ file, reading }: { file: File; reading: Reading }) => {
    if (file.size > MAX_BYTES) return tooLarge(file)
    const answer = await previewOf(file, reading)
    setUndecoded(!answer.ok && answer.problem.message.includes("encoding=") ? file : null)
    if (!answer.ok) return answer.problem
    setSample(null)
    setChosen({ file, reading, preview: answer.body })
    return null
  })
  const sampling = useAction(async ({ file, ...chosen }: Chosen) => {
    const answer = await send<UploadedJob | SampledList>(uploadPath(chosen, options, { sample: "true" }), file)
    if (!answer.ok) return answer.problem
    if ("projection" in answer.body) setSample(answer.body)
    return null
  })
  const starting = useAction(async ({ file, ...chosen }: Chosen) => {
    const answer = await send<UploadedJob | SampledList>(uploadPath(chosen, options, {}), file)
    if (!answer.ok) return answer.problem
    if ("job_id" in answer.body) go(`#/lists/${answer.body.job_id}`)
    return null
  })
  const read = (file: File) => void reading.run({ file, reading: AS_FOUND })
  if (!chosen)
    return (
      <section class="panel" aria-label="New list">
        <DropZone busy={reading.busy} onFile={read} />
        <ProblemNotice problem={reading.problem} />
        {undecoded && (
          <EncodingSelect
            value=""
            onValue={(encoding) => void reading.run({ file: undecoded, reading: { ...AS_FOUND, encoding } })}
          />
        )}
        <Paste busy={reading.busy} onFile={read} />
        <SandboxList busy={reading.busy} onFile={read} />
      </section>
    )
  const { file, preview } = chosen
  const readAgain = (change: Partial<Reading>) => void reading.run({ file, reading: { ...chosen.reading, ...change } })
  const isBusy = sampling.busy || starting.busy
  return (
    <Panel title={file.name} note="nothing is verified yet">
      <FilePreview preview={preview} reading={chosen.reading} busy={reading.busy} onReading={readAgain} />
      <ListOptionsForm options={options} onOptions={setOptions} />
      {sample && <SampleResult sample={sample} />}
      <div class="row">
        <Button
          label={starting.busy ? "Starting" : "Verify the list"}
          class="button primary"
          isBlocked={isBusy}
          onClick={() => void starting.run(chosen)}
        />
        {!sample && preview.sample_credits_at_most < preview.credits_at_most && (
          <Button
            label={
              sampling.busy
                ? "Verifying a sample"
                : `Verify a sample (at most ${credits(preview.sample_credits_at_most)})`
            }
            isBlocked={isBusy}
            onClick={() => void sampling.run(chosen)}
          />
        )}
        <Button label="Choose another file" class="button quiet" onClick={() => setChosen(null)} />
      </div>
      <ProblemNotice problem={reading.problem ?? sampling.problem ?? starting.problem} />
    </Panel>
  )
}

/** Reads a file. Without a recognized email column it is shown with its first one, so that the reader can choose. */
async function previewOf(file: File, reading: Reading): Promise<Answer<ListPreview>> {
  const query = new URLSearchParams(queryOf(reading))
  const answer = await send<ListPreview>(query.size === 0 ? "/bulk/preview" : `/bulk/preview?${query}`, file)
  const isFirst = answer.ok || answer.problem.status !== 422 || reading.column !== ""
  return isFirst ? answer : previewOf(file, { ...reading, column: "1" })
}

/** The reader's choices; empty ones are left to the service. */
function queryOf({ column, sheet, encoding }: Reading): Record<string, string> {
  const all = { email_column: column, sheet, encoding }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""))
}

function send<T>(path: string, file: File) {
  const form = new FormData()
  form.set("file", file)
  return call<T>(path, { method: "POST", body: form, labels: LABELS })
}

function uploadPath(
  { preview, reading }: Omit<Chosen, "file">,
  { smtp, deduplicate, webhookUrl }: ListOptions,
  more: object,
): string {
  const hook = webhookUrl.trim() === "" ? {} : { webhook_url: webhookUrl.trim() }
  const seen = { ...reading, column: String(preview.email_column) }
  const query = { smtp: String(smtp), deduplicate: String(deduplicate), ...queryOf(seen) }
  return `/bulk/upload?${new URLSearchParams({ ...query, ...hook, ...more })}`
}

function tooLarge({ size }: File): Problem {
  const message = `The file is too large (${decimal(size / 1e6, 1)} MB, at most 20 MB). Split it or remove columns.`
  return { status: 413, message, requestId: null }
}

interface ListOptions {
  readonly smtp: boolean
  readonly deduplicate: boolean
  readonly webhookUrl: string
}

const NO_OPTIONS: ListOptions = { smtp: true, deduplicate: true, webhookUrl: "" }

function ListOptionsForm({ options, onOptions }: { options: ListOptions; onOptions: (options: ListOptions) => void }) {
  const set = (change: Partial<ListOptions>) => onOptions({ ...options, ...change })
  return (
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
          hint="“All rows” of the download keeps them"
          checked={options.deduplicate}
          onChecked={(deduplicate) => set({ deduplicate })}
        />
        <Field
          label="Webhook"
          hint="Called when the list is done"
          placeholder="https://"
          value={options.webhookUrl}
          onValue={(webhookUrl) => set({ webhookUrl })}
        />
      </div>
    </details>
  )
}

const TYPES = ".csv,.tsv,.txt,.xlsx"

/** Keeps a file that is dropped beside the zone from being opened by the browser, which would leave the page. */
function useSafeDrops(): void {
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

/** Accepts a dropped file. A click or the keyboard opens the file chooser. */
function DropZone({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
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

function Paste({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
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
function SandboxList({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
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
