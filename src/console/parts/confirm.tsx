import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Problem } from "../api/call.ts"
import { useAction } from "../api/load.ts"
import { Dialog } from "./dialog.tsx"
import { ProblemNotice } from "./notice.tsx"

interface ConfirmProps {
  /** Text of the button and of the confirmation button. */
  readonly label: string
  readonly title: string
  readonly danger?: boolean
  /** @returns the problem, or null */
  readonly onConfirm: () => Promise<Problem | null>
  readonly children: ComponentChildren
}

/** A button that requires a confirmation. Cancel comes first, so that a held Enter key confirms nothing. */
export function Confirm({ label, title, danger = false, onConfirm, children }: ConfirmProps) {
  const [open, setOpen] = useState(false)
  const { busy, problem, run, clearProblem } = useAction(onConfirm)
  function close() {
    setOpen(false)
    clearProblem()
  }
  return (
    <>
      <button type="button" class={danger ? "button quiet danger" : "button quiet"} onClick={() => setOpen(true)}>
        {label}
      </button>
      {open && (
        <Dialog title={title} onClose={close}>
          {children}
          <ProblemNotice problem={problem} />
          <div class="row">
            <button type="button" class="button" onClick={close}>
              Cancel
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
