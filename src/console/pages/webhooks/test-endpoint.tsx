import { useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Delivery, DeliveryPage } from "../../api/shapes.ts"
import { Notice } from "../../parts/notice.tsx"
import { milliseconds } from "../../words.ts"
import { answerInWords, soon } from "./words.ts"

const POLL_MS = 500
/** Longer than the service waits for the receiver's answer, 15 s. */
const PATIENCE_MS = 20_000
const TOO_LATE: Problem = {
  status: 0,
  message: "The test is not sent yet. It appears in the deliveries in a minute.",
  requestId: null,
}

/** Sends a test to a webhook and waits for its first attempt. @param onEnd called after the attempt */
export function useTest(endpointId: string, onEnd: () => void) {
  const [delivery, setDelivery] = useState<Delivery | null>(null)
  const action = useAction(async () => {
    setDelivery(null)
    const sent = await call<{ event_id: string }>(`/webhooks/endpoints/${endpointId}/test`, { method: "POST" })
    if (!sent.ok) return sent.problem
    const found = await firstAttempt(sent.body.event_id)
    onEnd()
    if ("message" in found) return found
    setDelivery(found)
    return null
  })
  return { ...action, delivery }
}

async function firstAttempt(eventId: string): Promise<Delivery | Problem> {
  let isAttempted = false
  for (const stopAt = Date.now() + PATIENCE_MS; Date.now() < stopAt; ) {
    const answer = await call<DeliveryPage>(`/webhooks/deliveries?event_id=${eventId}`)
    if (!answer.ok) return answer.problem
    const delivery = answer.body.deliveries[0]
    // The first answer with the attempt may still have the state before it.
    if (delivery && isAttempted) return delivery
    isAttempted = delivery !== undefined && delivery.attempts.length > 0
    if (!isAttempted) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return TOO_LATE
}

/** What the receiver answered to a test, in how long, and what comes next. */
export function TestOutcome({ of: delivery, busy }: { of: Delivery | null; busy: boolean }) {
  const attempt = delivery?.attempts.at(-1)
  if (busy) return <p role="status">Waiting for the answer of your server…</p>
  if (!delivery || !attempt) return null
  const isDelivered = attempt.outcome === "delivered"
  return (
    <Notice tone={isDelivered ? "valid" : "invalid"} title={isDelivered ? "The test arrived" : "The test failed"}>
      <p>
        {answerInWords(attempt.outcome, attempt.http_status)}, after {milliseconds(attempt.duration_ms)}.
        {delivery.next_attempt_at && ` Next attempt ${soon(delivery.next_attempt_at)}.`}
      </p>
      <a href={`#/webhooks/${delivery.event_id}`}>See what was sent</a>
    </Notice>
  )
}
