import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Delivery } from "../../api/shapes.ts"

/** Sends an event again, from the first attempt on. */
export function useSendAgain({ event_id }: Delivery, onSent: () => void) {
  return useAction(async () => {
    const answer = await call(`/webhooks/deliveries/${event_id}/redrive`, { method: "POST" })
    if (!answer.ok) return answer.problem
    onSent()
    return null
  })
}
