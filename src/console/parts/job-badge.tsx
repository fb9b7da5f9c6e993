import type { Job, JobState } from "../api/shapes.ts"
import { Badge, type Tone } from "./badge.tsx"

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
