import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { type Problem, useAction } from "../api/call.ts"
import { cleanSecret } from "../api/storage.ts"
import { Button } from "./buttons.tsx"
import { Check, Choices, Field, Select, SubmitButton } from "./field.tsx"
import { ProblemNotice } from "./text.tsx"

/** A field of a form, under its name in the API. A field with options is a select, unless its kind is `choices`. */
export interface FieldSpec {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly placeholder?: string
  readonly required?: boolean
  /** `text` by default; `lines` has one entry per line, and `choices` any number of the options. */
  readonly kind?: "text" | "email" | "numeric" | "secret" | "lines" | "date" | "check" | "choices"
  /** Values with their words, and a sentence for each of the choices. */
  readonly options?: readonly (readonly [value: string, words: string, sentence?: string])[]
  readonly initial?: string | boolean | readonly string[]
  /** The browser's autofill token; off by default. */
  readonly autoComplete?: string
  /** Earliest date, and rows of a text area. */
  readonly min?: string
  readonly rows?: number
}

type Fields = Readonly<Record<string, FieldSpec>>

type ValueOf<Spec> = Spec extends { readonly kind: "check" }
  ? boolean
  : Spec extends { readonly options: readonly (readonly [infer Value extends string, ...unknown[]])[] }
    ? Spec extends { readonly kind: "choices" }
      ? readonly Value[]
      : Value
    : string

export type Values<Specs extends Fields> = { readonly [Name in keyof Specs]: ValueOf<Specs[Name]> }

/** Labels of the fields by the API's names, for `call`: an error about a field then names it by its label. */
export type Labels = Readonly<Record<string, string>>

export interface FormState<Specs extends Fields> {
  readonly fields: Specs
  readonly values: Values<Specs>
  readonly set: (change: Partial<Values<Specs>>) => void
  readonly submit: () => void
  readonly busy: boolean
  readonly problem: Problem | null
  /** Whether the last submission succeeded. */
  readonly isDone: boolean
  readonly clearProblem: () => void
}

interface FormOptions {
  /** What a success empties: the typed texts, or all with the selects and check boxes. */
  readonly resets?: "texts" | "all"
}

/**
 * The state of a form. Other initial values replace what was typed.
 * @param send gets the values without spaces around them, except those of several lines; it returns the problem, or null
 */
export function useForm<const Specs extends Fields>(
  fields: Specs,
  send: (values: Values<Specs>, labels: Labels) => Promise<Problem | null> | null,
  { resets }: FormOptions = {},
): FormState<Specs> {
  const initial = mapped(fields, initialOf)
  const [typed, setTyped] = useState<Partial<Values<Specs>>>({})
  const [isDone, setDone] = useState(false)
  // A layout effect runs before the paint, so that the form and what it led to never show different values.
  useLayoutEffect(() => setTyped({}), [JSON.stringify(initial)])
  const values = { ...initial, ...typed } as Values<Specs>
  const { busy, problem, run, clearProblem } = useAction(async () => {
    setDone(false)
    const labels = mapped(fields, ({ label }) => label) as Labels
    const found = await send(mapped(fields, (spec, name) => cleaned(spec, values[name])) as Values<Specs>, labels)
    setDone(found === null)
    if (found === null && resets) setTyped(resets === "all" ? {} : withoutTexts(fields, typed))
    return found
  })
  const set = (change: Partial<Values<Specs>>) => setTyped((before) => ({ ...before, ...change }))
  return { fields, values, set, submit: () => void run(), busy, problem, isDone, clearProblem }
}

const mapped = <Specs extends Fields>(fields: Specs, map: (spec: FieldSpec, name: keyof Specs) => unknown): object =>
  Object.fromEntries(Object.entries(fields).map(([name, spec]) => [name, map(spec, name)]))

function initialOf({ kind, options, initial }: FieldSpec): unknown {
  if (initial !== undefined) return initial
  if (kind === "check") return false
  return kind === "choices" ? [] : (options?.[0]?.[0] ?? "")
}

const isText = ({ kind, options }: FieldSpec): boolean => kind !== "check" && options === undefined

function cleaned(spec: FieldSpec, value: unknown): unknown {
  if (spec.kind === "secret") return cleanSecret(value as string)
  return isText(spec) && spec.kind !== "lines" ? (value as string).trim() : value
}

const withoutTexts = <T extends object>(fields: Fields, typed: T): T =>
  Object.fromEntries(Object.entries(typed).filter(([name]) => !isText(fields[name]!))) as T

interface FormProps<Specs extends Fields> {
  readonly of: FormState<Specs>
  readonly submit: string
  readonly busyLabel?: string
  /** Whether something else that the form began still runs. */
  readonly isBusy?: boolean
  /** In a row with the button, or above it: below each other, in columns, or side by side. */
  readonly layout?: "row" | "stack" | "grid" | "top"
  /** The fields at its beginning; all by default. */
  readonly names?: readonly (keyof Specs & string)[]
  readonly isDanger?: boolean
  /** Without the browser's own checks. */
  readonly noValidate?: boolean
  readonly onCancel?: () => void
  /** Buttons and words beside the button. */
  readonly beside?: ComponentChildren
  /** What stands between the fields and the buttons. */
  readonly children?: ComponentChildren
}

/** A form with its errors: at their fields, or else above the buttons. */
export function Form<Specs extends Fields>({ of: form, layout = "stack", names, ...props }: FormProps<Specs>) {
  const element = useRef<HTMLFormElement>(null)
  const { problem } = form
  const [faultsShown, setFaultsShown] = useState(0)
  useLayoutEffect(() => {
    const faulty = element.current!.querySelectorAll<HTMLElement>("[aria-invalid=true]")
    setFaultsShown(faulty.length)
    faulty[0]?.closest("details")?.setAttribute("open", "")
    faulty[0]?.focus()
  }, [problem])
  // A fault of a field that does not show is in the notice.
  const areAtFields = faultsShown > 0 && faultsShown === Object.keys(problem?.faults ?? {}).length
  const notice = <ProblemNotice problem={areAtFields ? null : problem} />
  const fields = <FormFields of={form} names={names} />
  const buttons = (
    <>
      {props.onCancel && <Button label="Cancel" onClick={props.onCancel} />}
      <SubmitButton
        label={props.submit}
        busyLabel={props.busyLabel}
        busy={form.busy || (props.isBusy ?? false)}
        isDanger={props.isDanger}
      />
      {props.beside}
    </>
  )
  const isRow = layout === "row"
  return (
    <>
      <form
        class={isRow ? "row end grow" : "stack"}
        ref={element}
        noValidate={props.noValidate}
        onSubmit={(event) => {
          event.preventDefault()
          form.submit()
        }}
      >
        {isRow || layout === "stack" ? fields : <div class={layout === "grid" ? "form-grid" : "row top"}>{fields}</div>}
        {props.children}
        {!isRow && notice}
        {isRow ? buttons : <div class="row">{buttons}</div>}
      </form>
      {isRow && notice}
    </>
  )
}

interface FormFieldsProps<Specs extends Fields> {
  readonly of: FormState<Specs>
  readonly names?: readonly (keyof Specs & string)[] | undefined
}

/** Some fields of a form, for a part of it. */
export function FormFields<Specs extends Fields>({
  of: form,
  names = Object.keys(form.fields),
}: FormFieldsProps<Specs>) {
  return (
    <>
      {names.map((name) => (
        <FormField
          key={name}
          spec={form.fields[name]!}
          value={form.values[name]}
          onValue={(value) => form.set({ [name]: value } as Partial<Values<Specs>>)}
          fault={form.problem?.faults?.[name]}
        />
      ))}
    </>
  )
}

interface FormFieldProps {
  readonly spec: FieldSpec
  readonly value: unknown
  readonly onValue: (value: unknown) => void
  readonly fault: string | undefined
}

function FormField({ spec: { kind = "text", options, initial, ...spec }, value, onValue, fault }: FormFieldProps) {
  if (kind === "check") return <Check {...spec} checked={value as boolean} onChecked={onValue} />
  if (kind === "choices" && options)
    return <Choices {...spec} options={options} values={value as readonly string[]} onValues={onValue} fault={fault} />
  if (options) return <Select {...spec} options={options} value={value as string} onValue={onValue} fault={fault} />
  return <Field {...spec} kind={kind as "text"} value={value as string} onValue={onValue} fault={fault} />
}
