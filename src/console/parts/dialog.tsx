import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"

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
