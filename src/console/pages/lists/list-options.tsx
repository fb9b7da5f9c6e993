import { Check, Field } from "../../parts/field.tsx"

export interface ListOptions {
  readonly smtp: boolean
  readonly deduplicate: boolean
  readonly webhookUrl: string
}

export const NO_OPTIONS: ListOptions = { smtp: true, deduplicate: true, webhookUrl: "" }

interface ListOptionsFormProps {
  readonly options: ListOptions
  readonly onOptions: (options: ListOptions) => void
}

export function ListOptionsForm({ options, onOptions }: ListOptionsFormProps) {
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
