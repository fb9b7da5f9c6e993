import type { ComponentChildren } from "preact"
import type { Status } from "../../../schema/vocabulary.ts"
import type { Job, JobState } from "../api/shapes.ts"
import { STATUS_WORDS } from "../words.ts"

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
