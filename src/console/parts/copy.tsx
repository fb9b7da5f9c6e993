import { useState } from "preact/hooks"

/** Puts a text on the clipboard and says so. */
export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState<boolean | null>(null)
  async function copy() {
    // There is no clipboard where the page did not come over TLS.
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
        {label}
      </button>
      <span role="status" class="small soft">
        {copied === true ? "Copied" : copied === false ? "The browser does not allow it: select and copy by hand" : ""}
      </span>
    </span>
  )
}
