import { Copy } from "../../parts/buttons.tsx"

/** The script tag of a form. @param apiKey a publishable key, or its shortened form */
export function FormSnippet({ apiKey }: { apiKey: string }) {
  const tag = `<script src="${location.origin}/form.js" data-key="${apiKey}" defer></script>`
  return (
    <div class="stack">
      <p>Paste this line into the page with the form. It checks every field of the type “email”.</p>
      <div class="secret">
        <code class="break">{tag}</code>
        <Copy text={tag} label="Copy the line" />
      </div>
    </div>
  )
}
