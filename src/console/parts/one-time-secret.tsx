import type { ComponentChildren } from "preact"
import { Copy } from "./copy.tsx"
import { Dialog } from "./dialog.tsx"

interface OneTimeSecretProps {
  readonly title: string
  readonly secret: string
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

/** A dialog for a secret that is shown only once. */
export function OneTimeSecret({ title, secret, onClose, children }: OneTimeSecretProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>Copy it now. It is shown only once.</p>
      <div class="secret">
        <code>{secret}</code>
        <Copy text={secret} />
      </div>
      {children}
      <div>
        <button type="button" class="button primary" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Dialog>
  )
}
