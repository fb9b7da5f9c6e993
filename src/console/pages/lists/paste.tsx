import { useId, useState } from "preact/hooks"

interface PasteProps {
  readonly busy: boolean
  readonly onFile: (file: File) => void
}

/** Takes pasted addresses as a text file. */
export function Paste({ busy, onFile }: PasteProps) {
  const id = useId()
  const [text, setText] = useState("")
  const isEmpty = text.trim() === ""
  return (
    <details>
      <summary>Paste addresses instead</summary>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isEmpty && !busy) onFile(new File([text], "Pasted addresses", { type: "text/plain" }))
        }}
      >
        <div class="field">
          <label for={id}>Addresses, one per line</label>
          <textarea
            id={id}
            class="input"
            rows={6}
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
        <div>
          <button type="submit" class="button" aria-disabled={busy || isEmpty}>
            Continue
          </button>
        </div>
      </form>
    </details>
  )
}
