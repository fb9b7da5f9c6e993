import { Check } from "../../parts/field.tsx"

/** [name in the API, words, hint, on by default] */
const CHOICES = [
  ["smtp", "Ask the mail server", "", true],
  ["rbl", "Blocklists", "", true],
  ["domain_age", "Age of the domain", "", true],
  ["web_presence", "Web site of the domain", "", true],
  ["gravatar", "Gravatar", "", true],
  ["suppression", "Respect the suppression list", "", true],
  ["enrich", "Model's prediction", "", false],
  ["breach", "Known breaches", "costs an extra credit", false],
] as const

export type Options = Readonly<Record<(typeof CHOICES)[number][0], boolean>>

export const DEFAULT_OPTIONS = Object.fromEntries(CHOICES.map(([name, , , on]) => [name, on])) as Options

export function VerifyOptions({ options, onOptions }: { options: Options; onOptions: (options: Options) => void }) {
  return (
    <details>
      <summary>What to look at</summary>
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
