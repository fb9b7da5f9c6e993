import { useRef, useState } from "preact/hooks"
import type { Problem } from "../api/call.ts"
import { useAction } from "../api/load.ts"
import { ProblemNotice } from "./notice.tsx"

interface ButtonProps {
  readonly label: string
  readonly class?: string
  /** It stays focusable: the browser would remove the focus from a disabled button. */
  readonly isBlocked?: boolean
  readonly onClick: () => void
}

export const Button = ({ label, class: given = "button", isBlocked = false, onClick }: ButtonProps) => (
  <button type="button" class={given} aria-disabled={isBlocked} onClick={() => !isBlocked && onClick()}>
    {label}
  </button>
)

interface TabsProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, words: string])[]
  readonly onValue: (value: Value) => void
  readonly class?: string
}

/** One choice of a few, as buttons side by side. */
export const Tabs = <Value extends string>({ label, value, options, onValue, ...rest }: TabsProps<Value>) => (
  <fieldset class={rest.class ?? "tabs"}>
    <legend class="unseen">{label}</legend>
    {options.map(([option, words]) => (
      <button type="button" key={option} aria-pressed={value === option} onClick={() => onValue(option)}>
        {words}
      </button>
    ))}
  </fieldset>
)

interface ActionButtonProps {
  readonly label: string
  readonly busyLabel?: string
  readonly class?: string
  /** For a screen reader, where several buttons have the same label. */
  readonly name?: string
  /** Whether the action needs the fields of its form, as the browser checks them. */
  readonly isOfForm?: boolean
  /** @returns the problem, which then shows below the button, or null */
  readonly onAct: () => Promise<Problem | null>
}

/** A button of an action that takes a moment and can fail. It belongs into a row. */
export function ActionButton({ label, busyLabel = label, name, isOfForm = false, onAct, ...props }: ActionButtonProps) {
  const { busy, problem, run } = useAction(onAct)
  return (
    <>
      <button
        type="button"
        class={props.class ?? "button"}
        aria-label={name}
        aria-disabled={busy}
        onClick={({ currentTarget: { form } }) => {
          if (!isOfForm || form?.reportValidity()) void run()
        }}
      >
        {busy ? busyLabel : label}
      </button>
      <ProblemNotice problem={problem} />
    </>
  )
}

/** A button that copies a text to the clipboard. */
export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState<boolean | null>(null)
  async function copy() {
    // Without TLS, the browser provides no clipboard.
    const worked = await Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => true,
        () => false,
      )
    setCopied(worked)
    setTimeout(() => setCopied(null), 2_500)
  }
  return (
    <span class="row">
      <button type="button" class="button quiet" onClick={() => void copy()}>
        {copied === true ? "Copied" : label}
      </button>
      <span role="status" class={copied === true ? "unseen" : "small soft"}>
        {copied === true ? "Copied" : copied === false ? "The browser blocked it. Copy the text by hand." : ""}
      </span>
    </span>
  )
}

interface FileButtonProps {
  readonly label: string
  readonly accept: string
  readonly busy: boolean
  readonly onFile: (file: File) => void
}

/** A button that opens the file chooser. */
export function FileButton({ label, accept, busy, onFile }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class="button" aria-disabled={busy} onClick={() => busy || input.current?.click()}>
        {busy ? "Reading" : label}
      </button>
      <input
        ref={input}
        hidden
        type="file"
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          if (file) onFile(file)
          event.currentTarget.value = ""
        }}
      />
    </>
  )
}
