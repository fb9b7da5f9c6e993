import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { type Problem, useAction } from "../api/call.ts"
import { useStayHere } from "../route.ts"
import { ProblemNotice } from "./text.tsx"

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

export const Link = ({ label, to, class: given }: { label: string; to: string; class: string }) => (
  <a class={given} href={to}>
    {label}
  </a>
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

interface DialogProps {
  readonly title: string
  /** Element with the text that a screen reader reads after the title. */
  readonly describedBy?: string
  /** Called after Escape. */
  readonly onClose: () => void
  /** Keeps the dialog open on Escape. */
  readonly isLocked?: boolean
  readonly children: ComponentChildren
}

/** A modal dialog. The browser traps the focus inside and restores it on close. */
export function Dialog({ title, describedBy, onClose, isLocked = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  // A layout effect closes the dialog before its removal. A plain effect runs later and loses the focus.
  useLayoutEffect(() => {
    const element = dialog.current!
    element.showModal()
    return () => element.close()
  }, [])
  // Its owner removes the dialog. The browser reports a close of its own later, and a press in between would be lost.
  function handleCancel(event: Event) {
    event.preventDefault()
    onClose()
  }
  function handleClose() {
    // Also reported for a removed dialog, whose owner may have opened another one.
    if (!dialog.current) return
    // The browser closes a dialog on the second Escape, whatever the handler of the first one says.
    if (isLocked) dialog.current.showModal()
    onClose()
  }
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      aria-describedby={describedBy}
      onCancel={handleCancel}
      onClose={handleClose}
    >
      <div class="stack">
        <h2 id="dialog-title">{title}</h2>
        {children}
      </div>
    </dialog>
  )
}

interface DialogButtonProps {
  readonly label: string
  readonly title: string
  readonly class?: string
  readonly onClosed?: () => void
  /** The content of the dialog, which closes it by the function that it gets. */
  readonly children: (close: () => void) => ComponentChildren
}

export function DialogButton({ label, title, class: given = "button quiet", onClosed, children }: DialogButtonProps) {
  const [open, setOpen] = useState(false)
  function close() {
    setOpen(false)
    onClosed?.()
  }
  return (
    <>
      <Button label={label} class={given} onClick={() => setOpen(true)} />
      {open && (
        <Dialog title={title} onClose={close}>
          {children(close)}
        </Dialog>
      )}
    </>
  )
}

interface ConfirmProps {
  /** Text of the button and of the confirmation button. */
  readonly label: string
  readonly title: string
  readonly danger?: boolean
  readonly onConfirm: () => Promise<Problem | null>
  readonly text?: string
  readonly children?: ComponentChildren
}

/** A button that requires a confirmation. Cancel comes first, so that a held Enter key confirms nothing. */
export function Confirm({ label, title, danger = false, onConfirm, text, children }: ConfirmProps) {
  const [open, setOpen] = useState(false)
  const { busy, problem, run, clearProblem } = useAction(onConfirm)
  function close() {
    setOpen(false)
    clearProblem()
  }
  return (
    <>
      <Button label={label} class={danger ? "button quiet danger" : "button quiet"} onClick={() => setOpen(true)} />
      {open && (
        <Dialog title={title} onClose={close}>
          {text && <p>{text}</p>}
          {children}
          <ProblemNotice problem={problem} />
          <div class="row">
            <Button label="Cancel" onClick={close} />
            <Button
              label={label}
              class={danger ? "button danger" : "button primary"}
              isBlocked={busy}
              onClick={() => void run().then((done) => done && close())}
            />
          </div>
        </Dialog>
      )}
    </>
  )
}

/** A command for a shell, to copy. */
export const Command = ({ text }: { text: string }) => (
  <div class="command">
    <code class="break">{text}</code>
    <Copy text={text} />
  </div>
)

interface OneTimeSecretProps {
  readonly title: string
  readonly secret: string
  readonly advice?: string
  /** Called when the user says that the secret is saved. */
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

const SAVE = "Save it now, for example in a password manager."

/** A dialog for a secret that is shown only once. Only its button closes it: not Escape, Back or a link. */
export function OneTimeSecret({ title, secret, advice = SAVE, onClose, children }: OneTimeSecretProps) {
  const [isWarned, setWarned] = useState(false)
  const warn = () => setWarned(true)
  const release = useStayHere(warn)
  function close() {
    // Before the next render, because the caller may open another page.
    release()
    onClose()
  }
  return (
    <Dialog title={title} describedBy="secret-shown-once" onClose={warn} isLocked>
      <p id="secret-shown-once">{advice} It is shown only once.</p>
      <div class="secret">
        <code>{secret}</code>
        <Copy text={secret} />
      </div>
      {children}
      <div role="status">
        {isWarned && (
          <div class="notice tone-accept_all">
            <b>Is it saved?</b>
            <p>It cannot be shown again. When it is saved, choose “I have saved it”.</p>
          </div>
        )}
      </div>
      <div>
        <Button label="I have saved it" class="button primary" onClick={close} />
      </div>
    </Dialog>
  )
}
