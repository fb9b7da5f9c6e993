import { type Answer, RESPONSE_CUT_OFF, send } from "../../api/call.ts"
import { type Load, useLoad } from "../../api/load.ts"
import { readSamples, type Sample } from "./prometheus.ts"

/** Loads the service's metrics. They are at most ten seconds old. */
export function useMetrics(): Load<readonly Sample[]> {
  return useLoad("metrics", async (signal): Promise<Answer<readonly Sample[]>> => {
    const answer = await send("/admin/metrics", { signal, asOperator: true })
    if (!answer.ok) return answer
    try {
      return { ok: true, body: readSamples(await answer.body.text()) }
    } catch {
      return { ok: false, problem: RESPONSE_CUT_OFF }
    }
  })
}
