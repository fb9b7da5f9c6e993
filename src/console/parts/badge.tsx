import type { ComponentChildren } from "preact"
import type { Status } from "../../../schema/vocabulary.ts"
import { STATUS_WORDS } from "../words.ts"

export type Tone = Status | "accent"

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`badge tone-${tone}`}>{children}</span>
}

export function StatusBadge({ status }: { status: Status }) {
  return <Badge tone={status}>{STATUS_WORDS[status]}</Badge>
}
