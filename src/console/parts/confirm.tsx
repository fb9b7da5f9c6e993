import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Problem } from "../api/call.ts"
import { useAction } from "../api/load.ts"
import { Dialog } from "./dialog.tsx"
import { ProblemNotice } from "./notice.tsx"

interface ConfirmProps {
  /** On the button, and again on the one that does it. */
  readonly label: string
  readonly title: string
  readonly danger?: boolean
  /** @returns what went wrong, or null */
  readonly onConfirm: () => Promise<Problem | null>
  readonly children: ComponentChildren
}

/** A button for what cannot be undone: asks first. To leave it comes first, where a key held down too long lands. */
export function Confirm({ label, title, danger = false, onConfirm, children }: ConfirmProps) {
  const [open, setOpen] = useState(false)
  const { busy, problem, run, forget } = useAction(onConfirm)
  function close() {
    setOpen(false)
    forget()
  }
  return (
    <>
      <button type="button" class="button quiet" onClick={() => setOpen(true)}>
        {label}
      </button>
      {open && (
        <Dialog title={title} onClose={close}>
          {children}
          <ProblemNotice problem={problem} />
          <div class="row">
            <button type="button" class="button" onClick={close}>
              Leave it
            </button>
            <button
              type="button"
              class={danger ? "button danger" : "button primary"}
              aria-disabled={busy}
              onClick={() => void run().then((done) => done && close())}
            >
              {label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
