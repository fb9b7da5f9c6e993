import type { ComponentChildren } from "preact"
import { useId, useState } from "preact/hooks"
import { verifyLink } from "../route.ts"
import { ago, moment } from "../words.ts"

/** An address that breaks behind its "@" first, where a line is too short for it. */
export function Address({ email }: { email: string }) {
  const domain = email.lastIndexOf("@") + 1
  return (
    <>
      {email.slice(0, domain)}
      <wbr />
      {email.slice(domain)}
    </>
  )
}

/** A relative time with the exact time as its tooltip. @param at ISO 8601, or Unix milliseconds */
export function Ago({ at }: { at: string | number | null }) {
  if (at === null) return <span class="soft">never</span>
  return (
    <time dateTime={new Date(at).toISOString()} title={moment(at)}>
      {ago(at)}
    </time>
  )
}

/** A word with an explanation. It opens by pointer, by focus and by touch. Escape closes it. */
export function Tip({ word, children }: { word: string; children: string }) {
  const id = useId()
  const [open, setOpen] = useState(false)
  return (
    <span class="tip" onPointerEnter={() => setOpen(true)} onPointerLeave={() => setOpen(false)}>
      <button
        type="button"
        class="tip-word"
        aria-describedby={id}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onClick={() => setOpen(true)}
        onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
      >
        {word}
      </button>
      <span role="tooltip" id={id} class={open ? "tip-text" : "unseen"}>
        {children}
      </span>
    </span>
  )
}

/** Link of a row that verifies its address. */
export const VerifyLink = ({ email }: { email: string }) => (
  <a href={verifyLink(email)} aria-label={`Verify ${email}`}>
    Verify
  </a>
)

/** An address as a link that verifies it. */
export const AddressLink = ({ email }: { email: string }) => (
  <a href={verifyLink(email)}>
    <Address email={email} />
  </a>
)

/** A cell with a small line below, if there is one. */
export const withNote = (content: ComponentChildren, note: ComponentChildren) => (
  <>
    {content}
    {note && <div class="soft small break">{note}</div>}
  </>
)
