import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { useStayHere } from "../route.ts"
import { Copy } from "./copy.tsx"
import { Dialog } from "./dialog.tsx"

interface OneTimeSecretProps {
  readonly title: string
  readonly secret: string
  /** Where to save it. */
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
        <button type="button" class="button primary" onClick={close}>
          I have saved it
        </button>
      </div>
    </Dialog>
  )
}
