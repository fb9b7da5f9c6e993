import type { ComponentChildren, TargetedInputEvent } from "preact"
import { useId } from "preact/hooks"
import { Button } from "./buttons.tsx"

interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly value: string
  readonly onValue: (value: string) => void
  readonly fault?: string | undefined
  /** `secret` hides the typed text, and `lines` is a text area with one entry per line. */
  readonly kind?: "text" | "email" | "numeric" | "secret" | "lines" | "date"
  /** The browser's autofill token; off by default. */
  readonly autoComplete?: string
  readonly placeholder?: string
  readonly required?: boolean
  readonly min?: string
  readonly rows?: number
}

export function Field({ label, hint, fault, onValue, kind = "text", autoComplete = "off", ...rest }: FieldProps) {
  const id = useId()
  const { rows = 3, min, ...common } = rest
  const input = {
    id,
    class: "input",
    autoComplete,
    autoCapitalize: "off" as const,
    spellcheck: false,
    ...common,
    onInput: (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) => onValue(event.currentTarget.value),
    ...describedBy(id, hint, fault),
  } as const
  return (
    <div class={kind === "date" || kind === "lines" ? "field" : "field grow"}>
      <label for={id}>{label}</label>
      {kind === "lines" && <textarea {...input} rows={rows} />}
      {kind === "secret" && <input type="password" {...input} />}
      {kind === "date" && <input type="date" {...input} {...(min ? { min } : {})} />}
      {(kind === "text" || kind === "email" || kind === "numeric") && <input type="text" inputMode={kind} {...input} />}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      <Fault id={id} words={fault} />
    </div>
  )
}

/** Attributes that connect a field with its hint and its fault. */
function describedBy(id: string, hint: ComponentChildren, fault: string | undefined) {
  const ids = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ")
  return { ...(ids && { "aria-describedby": ids }), ...(fault === undefined ? {} : { "aria-invalid": true }) }
}

const Fault = ({ id, words }: { id: string; words: string | undefined }) =>
  words === undefined ? null : (
    <p id={`${id}-fault`} class="fault small" role="alert">
      {words}
    </p>
  )

type Option<Value extends string> = readonly [value: Value, words: string, sentence?: string]

interface SelectProps<Value extends string> {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly value: Value
  readonly options: readonly Option<Value>[]
  readonly onValue: (value: Value) => void
  readonly fault?: string | undefined
}

export function Select<Value extends string>({ label, hint, value, options, onValue, fault }: SelectProps<Value>) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="input"
        value={value}
        onChange={(event) => onValue(event.currentTarget.value as Value)}
        {...describedBy(id, hint, fault)}
      >
        {options.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      <Fault id={id} words={fault} />
    </div>
  )
}

interface CheckProps {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly checked: boolean
  readonly onChecked: (checked: boolean) => void
}

export const Check = ({ label, hint, checked, onChecked }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={(event) => onChecked(event.currentTarget.checked)} />
    <span>
      {label}
      {hint && <span class="soft small"> {hint}</span>}
    </span>
  </label>
)

interface ChoiceCheckProps {
  readonly label: string
  /** Of `useChoice`: empty when it is off. */
  readonly choice: readonly [value: string, set: (value: string) => void]
  /** The value when it is on. */
  readonly on?: string
}

/** A check box that is stored in the URL. */
export const ChoiceCheck = ({ label, choice: [value, set], on = "yes" }: ChoiceCheckProps) => (
  <Check label={label} checked={value !== ""} onChecked={(isOn) => set(isOn ? on : "")} />
)

interface ChoicesProps<Value extends string> {
  readonly label: string
  readonly options: readonly Option<Value>[]
  readonly values: readonly Value[]
  readonly onValues: (values: readonly Value[]) => void
  readonly fault?: string | undefined
}

/** A check box for each option. */
export function Choices<Value extends string>({ label, options, values, onValues, fault }: ChoicesProps<Value>) {
  const id = useId()
  const isAnyOn = values.length > 0
  return (
    <fieldset class="scopes" tabIndex={-1} {...describedBy(id, null, fault)}>
      <legend>{label}</legend>
      {options.map(([value, words, sentence]) => (
        <Check
          key={value}
          label={words}
          hint={sentence}
          checked={values.includes(value)}
          onChecked={(isOn) => onValues(isOn ? [...values, value] : values.filter((one) => one !== value))}
        />
      ))}
      <div>
        <Button
          label={isAnyOn ? "Uncheck all" : "Check all"}
          class="link small"
          onClick={() => onValues(isAnyOn ? [] : options.map(([value]) => value))}
        />
      </div>
      <Fault id={id} words={fault} />
    </fieldset>
  )
}

interface SubmitButtonProps {
  readonly label: string
  readonly busy: boolean
  readonly busyLabel?: string | undefined
  readonly isDanger?: boolean | undefined
}

export const SubmitButton = ({ label, busy, busyLabel = label, isDanger = false }: SubmitButtonProps) => (
  <button type="submit" class={isDanger ? "button danger" : "button primary"} aria-disabled={busy}>
    {busy ? busyLabel : label}
  </button>
)
