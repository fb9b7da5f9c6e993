import type { ComponentChildren } from "preact"
import { useId, useState } from "preact/hooks"
import type { Status } from "../../../schema/vocabulary.ts"
import { useGet } from "../api/load.ts"
import type { Job, JobState, Key, Keys } from "../api/shapes.ts"
import { verifyLink } from "../route.ts"
import { ago, moment, STATUS_WORDS } from "../words.ts"

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

export type Tone = Status | "accent"

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`badge tone-${tone}`}>{children}</span>
}

export function StatusBadge({ status }: { status: Status }) {
  return <Badge tone={status}>{STATUS_WORDS[status]}</Badge>
}

const STATES: Readonly<Record<JobState, readonly [Tone, string]>> = {
  queued: ["unknown", "Waiting"],
  running: ["accent", "Running"],
  complete: ["valid", "Done"],
  failed: ["invalid", "Failed"],
}

export function JobBadge({ job: { status, cancelled_at } }: { job: Pick<Job, "status" | "cancelled_at"> }) {
  const [tone, words] = cancelled_at === null ? STATES[status] : (["accept_all", "Canceled"] as const)
  return <Badge tone={tone}>{words}</Badge>
}

/** The account's keys, by id. Empty until they are loaded, and for an API key that cannot list them. */
export function useKeysById(): ReadonlyMap<string, Key> {
  const load = useGet<Keys>("/keys")
  return new Map(load.state === "ready" ? load.value.keys.map((key) => [key.key_id, key]) : [])
}

interface KeyNameProps {
  readonly id: string
  /** The key, once it is loaded. */
  readonly of: Key | undefined
}

/** A key as its owner recognizes it: by its name and the end of its secret. */
export function KeyName({ id, of: key }: KeyNameProps) {
  return (
    <>
      API key <a href={`#/keys/${id}`}>{key?.name ?? id}</a>
      {key?.last4 && <span class="soft small">, ends in {key.last4}</span>}
    </>
  )
}
