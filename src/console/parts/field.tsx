import type { ComponentChildren, TargetedInputEvent } from "preact"
import { useId } from "preact/hooks"

interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly value: string
  readonly onValue: (value: string) => void
  /** Hides the typed text. */
  readonly secret?: boolean
  /** The keyboard on a phone. */
  readonly inputMode?: "text" | "email" | "numeric"
  /** The browser's autofill token; off by default. */
  readonly autoComplete?: string
  readonly placeholder?: string
  readonly required?: boolean
}

export function Field({ label, hint, value, onValue, secret = false, autoComplete = "off", ...rest }: FieldProps) {
  const id = useId()
  const input = {
    id,
    class: "input",
    autoComplete,
    autoCapitalize: "off",
    spellcheck: false,
    value,
    onInput: (event: TargetedInputEvent<HTMLInputElement>) => onValue(event.currentTarget.value),
    ...(hint ? { "aria-describedby": `${id}-hint` } : {}),
    ...rest,
  } as const
  return (
    <div class="field grow">
      <label for={id}>{label}</label>
      {secret ? <input type="password" {...input} /> : <input type="text" {...input} />}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  )
}

interface DateFieldProps {
  readonly label: string
  /** ISO 8601 date, or empty. */
  readonly value: string
  readonly onValue: (value: string) => void
}

export function DateField({ label, value, onValue }: DateFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input type="date" class="input" value={value} onChange={(event) => onValue(event.currentTarget.value)} />
    </label>
  )
}

interface SelectProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [Value, string])[]
  readonly onValue: (value: Value) => void
}

export function Select<Value extends string>({ label, value, options, onValue }: SelectProps<Value>) {
  return (
    <label class="field">
      <span>{label}</span>
      <select class="input" value={value} onChange={(event) => onValue(event.currentTarget.value as Value)}>
        {options.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

interface CheckProps {
  readonly label: string
  readonly hint?: string
  readonly checked: boolean
  readonly onChecked: (checked: boolean) => void
}

export function Check({ label, hint, checked, onChecked }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChecked(event.currentTarget.checked)} />
      <span>
        {label}
        {hint && <span class="soft small"> {hint}</span>}
      </span>
    </label>
  )
}

export function SubmitButton({ label, busy, busyLabel = label }: { label: string; busy: boolean; busyLabel?: string }) {
  return (
    <button type="submit" class="button primary" aria-disabled={busy}>
      {busy ? busyLabel : label}
    </button>
  )
}
