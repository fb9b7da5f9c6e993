import type { IntegrationOutcome } from "../../../../schema/vocabulary.ts"
import type { IntegrationState, IntegrationSync } from "../../api/shapes.ts"
import type { Tone } from "../../parts/badge.tsx"
import { count } from "../../words.ts"

export const HEALTHS: Readonly<Record<IntegrationState["health"], readonly [Tone, string, string]>> = {
  ok: ["valid", "Working", "The provider answers as it should."],
  working: ["accent", "Sync under way", "Its contacts are being verified."],
  failing: ["invalid", "Not working", "The provider has never answered as it should. The last failure says why."],
  needs_attention: ["accept_all", "Needs attention", "It worked before. The last failure says what is wrong."],
  idle: ["unknown", "Idle", "Nothing happened in the last 24 hours."],
}

export const OUTCOMES: Readonly<Record<IntegrationOutcome, string>> = {
  ok: "OK",
  unauthorized: "Credentials rejected",
  refused: "Request rejected",
  rate_limited: "Rate limit reached",
  unreachable: "No answer",
  unreadable: "Unreadable answer",
  out_of_credits: "No credits left",
}

const NOTHING: Readonly<Record<NonNullable<IntegrationSync["wrote_nothing"]>, string>> = {
  no_contacts: "Nothing was written: the provider has no contacts with an address.",
  all_undecided: "Nothing was written: every address must be probed again. Verify the contacts again later.",
  all_rejected: "Nothing was written: the provider rejected every result. The events have its error.",
  undecided_and_rejected:
    "Nothing was written: some addresses must be probed again, and the provider rejected the other results.",
}

export const SYNC_STATES: Readonly<Record<IntegrationSync["state"], string>> = {
  queued: "Starts within a minute",
  running: "Running",
  waiting: "Waiting",
  out_of_credits: "Stopped: no credits left",
  failed: "Stopped",
  complete: "Contacts verified",
}

const contacts = (amount: number): string => (amount === 1 ? "1 contact" : `${count(amount)} contacts`)

/** "240 contacts read, 200 written, 12 unsafe, 240 credits used". */
export function syncCounts(sync: IntegrationSync): string {
  const parts = [
    `${contacts(sync.contacts)} read`,
    `${count(sync.written)} written`,
    `${count(sync.unsafe)} unsafe`,
    sync.undecided > 0 && `${count(sync.undecided)} to probe again`,
    sync.rejected > 0 && `${count(sync.rejected)} rejected by the provider`,
    `${sync.credits === 1 ? "1 credit" : `${count(sync.credits)} credits`} used`,
  ]
  return parts.filter(Boolean).join(", ")
}

/** Why a sync waits, has stopped or wrote nothing; null when there is nothing to explain. */
export const syncReason = ({ wrote_nothing, detail }: IntegrationSync): string | null =>
  wrote_nothing ? NOTHING[wrote_nothing] : detail

export const isRunning = ({ sync }: Pick<IntegrationState, "sync">): boolean =>
  sync !== null && (sync.state === "queued" || sync.state === "running" || sync.state === "waiting")
