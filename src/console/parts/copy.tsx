import { useState } from "preact/hooks"

/** A button that copies a text to the clipboard. */
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
