import type { ComponentChildren } from "preact"
import { Copy } from "./copy.tsx"
import { Dialog } from "./dialog.tsx"

interface ShownOnceProps {
  readonly title: string
  readonly secret: string
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

/** A secret that is never shown again. */
export function ShownOnce({ title, secret, onClose, children }: ShownOnceProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>Copy it now: it is shown this once and cannot be read again.</p>
      <div class="secret">
        <code>{secret}</code>
        <Copy text={secret} />
      </div>
      {children}
      <div>
        <button type="button" class="button primary" onClick={onClose}>
          I have it
        </button>
      </div>
    </Dialog>
  )
}
