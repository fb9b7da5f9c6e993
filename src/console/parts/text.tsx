import type { ComponentChildren } from "preact"
import { useId, useState } from "preact/hooks"
import type { Status } from "../../../schema/vocabulary.ts"
import { type Problem, useGet } from "../api/call.ts"
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
export const withNote = (content: ComponentChildren, note: ComponentChildren, given = "soft small break") => (
  <>
    {content}
    {note && <div class={given}>{note}</div>}
  </>
)

export type Tone = Status | "accent"

export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge tone-${tone}`}>{children}</span>
)

export const StatusBadge = ({ status }: { status: Status }) => <Badge tone={status}>{STATUS_WORDS[status]}</Badge>

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
export const KeyName = ({ id, of: key }: KeyNameProps) => (
  <>
    API key <a href={`#/keys/${id}`}>{key?.name ?? id}</a>
    {key?.last4 && <span class="soft small">, ends in {key.last4}</span>}
  </>
)

interface NoticeProps {
  readonly tone: "valid" | "invalid" | "accept_all" | "accent"
  readonly title: string
  readonly text?: string | undefined
  readonly children?: ComponentChildren
}

export const Notice = ({ tone, title, text, children }: NoticeProps) => (
  <div class={`notice tone-${tone}`} role={tone === "invalid" ? "alert" : "status"}>
    <b>{title}</b>
    {text && <p>{text}</p>}
    {children}
  </div>
)

const TITLES: Readonly<Record<number, string>> = {
  0: "No connection",
  400: "Not accepted",
  402: "No credits left",
  403: "Not allowed",
  404: "Not found",
  408: "Connection too slow",
  413: "Too large",
  422: "Not accepted",
  429: "Too many requests",
  503: "Service unavailable",
}

export function ProblemNotice({ problem, retry }: { problem: Problem | null; retry?: (() => void) | undefined }) {
  if (!problem) return null
  return (
    <Notice tone="invalid" title={TITLES[problem.status] ?? "Request failed"}>
      <p>{problem.message}</p>
      {problem.status >= 500 && problem.requestId && (
        <p class="small soft">
          Request <code>{problem.requestId}</code>
        </p>
      )}
      {retry && (
        <button type="button" class="button quiet" onClick={retry}>
          Try again
        </button>
      )}
    </Notice>
  )
}

export const Empty = ({
  title,
  text,
  children,
}: {
  title: string
  text?: string | undefined
  children?: ComponentChildren
}) => (
  <div class="empty">
    <h2>{title}</h2>
    {text && <p>{text}</p>}
    {children}
  </div>
)

/** Placeholder for content that is loading. */
export const Skeleton = ({ lines = 4, label = "Loading" }: { lines?: number; label?: string }) => (
  <div class="skeleton" role="status">
    <span class="unseen">{label}</span>
    {Array.from({ length: lines }, (_, line) => (
      <i key={line} />
    ))}
  </div>
)

export type TileEntry = readonly [name: string, value: ComponentChildren, note?: ComponentChildren]

export const Tiles = ({ tiles }: { tiles: readonly TileEntry[] }) => (
  <dl class="tiles">
    {tiles.map(([name, value, note]) => (
      <div class="tile" key={name}>
        <dt>{name}</dt>
        <dd>
          {value}
          {note && <small>{note}</small>}
        </dd>
      </div>
    ))}
  </dl>
)

/** Facts with their names. Absent ones are left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, words: ComponentChildren] | false)[] }) => (
  <dl class="facts">
    {facts
      .filter((fact) => fact !== false)
      .map(([name, words]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name}-words`} class="break">
          {words}
        </dd>,
      ])}
  </dl>
)

const RADIUS = 42
const LENGTH = 2 * Math.PI * RADIUS

interface RingProps {
  /** The filled part, 0 to 1. */
  readonly share: number
  /** The text in the ring, and the smaller text below it. */
  readonly value: string
  readonly unit: string
  readonly caption: string
  /** The whole in words, for a screen reader. */
  readonly label: string
}

export const Ring = ({ share, value, unit, caption, label }: RingProps) => (
  <figure class="score">
    <svg viewBox="0 0 100 100" role="img" aria-label={label}>
      <circle cx="50" cy="50" r={RADIUS} class="score-track" />
      {share > 0 && (
        <circle cx="50" cy="50" r={RADIUS} class="score-arc" stroke-dasharray={`${share * LENGTH} ${LENGTH}`} />
      )}
      <text x="50" y="54" class="score-number">
        {value}
      </text>
      <text x="50" y="71" class="score-of">
        {unit}
      </text>
    </svg>
    <figcaption>{caption}</figcaption>
  </figure>
)

export const Score = ({ score, grade }: { score: number; grade: string }) => (
  <Ring
    share={score / 100}
    value={String(score)}
    unit="of 100"
    caption={`Grade ${grade}`}
    label={`Score ${score} of 100, grade ${grade}`}
  />
)
