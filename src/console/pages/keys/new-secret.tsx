import { useState } from "preact/hooks"
import { useAction } from "../../api/load.ts"
import type { NewKey } from "../../api/shapes.ts"
import { OneTimeSecret } from "../../parts/dialog.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { useSession } from "../../session.tsx"
import { FormSnippet } from "./form-snippet.tsx"
import { isForForms } from "./key-words.ts"

/** Shows the secret of a created or rotated key. Without an account, the tab can use it. */
export function NewSecret({ of: key, onSaved }: { of: NewKey; onSaved: () => void }) {
  const { account, useKey } = useSession()
  const [isOffered] = useState(account === null)
  const [isInUse, setInUse] = useState(false)
  const { busy, problem, run } = useAction(() => useKey(key.api_key))
  const isPublic = isForForms(key.api_key)
  return (
    <OneTimeSecret
      title="Your new key"
      secret={key.api_key}
      {...(isPublic ? { advice: "Paste it into your page now. It is public, as each visitor gets it." } : {})}
      onClose={onSaved}
    >
      {isPublic && <FormSnippet apiKey={key.api_key} />}
      {isOffered && (
        <>
          <p role="status">
            {isInUse
              ? "This tab uses the key now, until you close the tab."
              : "To keep the key in an account, use it in this tab and then sign in by email."}
          </p>
          {!isInUse && (
            <div>
              <button
                type="button"
                class="button"
                aria-disabled={busy}
                onClick={() => void run().then((done) => done && setInUse(true))}
              >
                Use it in this tab
              </button>
            </div>
          )}
          <ProblemNotice problem={problem} />
        </>
      )}
    </OneTimeSecret>
  )
}
