import { Check } from "../../parts/field.tsx"

/** [API field, label, hint, default] */
const CHOICES = [
  ["smtp", "Probe the mail server", "", true],
  ["rbl", "Blocklists", "", true],
  ["domain_age", "Domain age", "", true],
  ["web_presence", "Website of the domain", "", true],
  ["gravatar", "Gravatar", "", true],
  ["suppression", "Check the suppression list", "", true],
  ["enrich", "Model prediction", "", false],
  ["breach", "Known breaches", "costs an extra credit", false],
] as const

export type Options = Readonly<Record<(typeof CHOICES)[number][0], boolean>>

export const DEFAULT_OPTIONS = Object.fromEntries(CHOICES.map(([name, , , on]) => [name, on])) as Options

export function VerifyOptions({ options, onOptions }: { options: Options; onOptions: (options: Options) => void }) {
  return (
    <details>
      <summary>Options</summary>
      <div class="choices">
        {CHOICES.map(([name, label, hint]) => (
          <Check
            key={name}
            label={label}
            hint={hint}
            checked={options[name]}
            onChecked={(checked) => onOptions({ ...options, [name]: checked })}
          />
        ))}
      </div>
    </details>
  )
}
