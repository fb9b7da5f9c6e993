import type { AttemptOutcome, EndpointEvent, EventState, EventType } from "../../../../schema/vocabulary.ts"
import type { AccountEndpoint, Delivery } from "../../api/shapes.ts"
import type { Tone } from "../../parts/text.tsx"
import { ago } from "../../words.ts"

/** Events that a webhook can get, each with its name and what it reports. */
export const CHOICES: readonly (readonly [EndpointEvent, string, string])[] = [
  ["job.completed", "List finished", "A list is verified and its results are ready."],
  ["job.failed", "List failed", "A list was canceled, or ended without a result for any address."],
  ["job.partial", "Only retries left", "Every address of a list was tried once. The others have their results."],
  [
    "verification.completed",
    "Verification finished",
    "A verification that your program started in the background ended.",
  ],
  ["usage.threshold", "Credits running out", "80% or 100% of the month's credits are used."],
]

export const EVENT_NAMES: Readonly<Record<EventType, string>> = {
  ...(Object.fromEntries(CHOICES.map(([event, name]) => [event, name])) as Record<EndpointEvent, string>),
  "reverify.completed": "Re-verification finished",
  "webhook.test": "Test",
}

export const ENDPOINT_STATES: Readonly<
  Record<AccountEndpoint["state"], readonly [tone: Tone, name: string, meaning: string]>
> = {
  active: ["valid", "Active", ""],
  failing: ["accept_all", "Failing", "The last attempts failed. We retry for three days."],
  paused: ["unknown", "Paused", "It gets no events, and none later for the time of the pause."],
  disabled: ["invalid", "Disabled", "It failed for five days, or asked for no more events. Enable it once it works."],
}

export const DELIVERY_STATES: Readonly<Record<EventState, readonly [tone: Tone, name: string]>> = {
  pending: ["accent", "Waiting"],
  delivered: ["valid", "Delivered"],
  failed: ["invalid", "Failed"],
  disabled: ["accept_all", "Stopped"],
}

const WITHOUT_STATUS: Readonly<Record<AttemptOutcome, string>> = {
  delivered: "Answered",
  refused: "Answered with an error",
  redirected: "A redirect, which is not followed",
  gone: "Asked for no more events",
  timeout: "No answer within 15 seconds",
  unreachable: "Could not connect (no DNS answer, refused, or no valid certificate)",
  blocked: "The URL leads to an address that is not public",
}

/** The state of a delivery. One that failed before waits for its next attempt. */
export const stateOf = ({ state, attempts }: Delivery): readonly [tone: Tone, name: string] =>
  state === "pending" && attempts.length > 0 ? ["accept_all", "Retrying"] : DELIVERY_STATES[state]

/** What the receiver did at an attempt, with the status of its answer: "Answered 204". */
export function answerInWords(outcome: AttemptOutcome, status: number | null): string {
  if (status === null) return WITHOUT_STATUS[outcome]
  if (outcome === "delivered" || outcome === "refused") return `Answered ${status}`
  return `Answered ${status}: ${WITHOUT_STATUS[outcome].toLowerCase()}`
}

/** When the next attempt follows: "in 5 minutes". @param at ISO 8601 */
export const soon = (at: string): string => (new Date(at).getTime() - Date.now() < 5_000 ? "in a moment" : ago(at))

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
/** A time with its seconds: attempts may follow each other within a minute. @param iso ISO 8601 */
export const exactMoment = (iso: string): string => MOMENT.format(new Date(iso))
