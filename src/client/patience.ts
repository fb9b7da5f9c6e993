import { isUnavailable } from "./errors.ts"

/**
 * Bears an unavailable service for some time after its last answer, but not before the first one.
 * @returns awaits a call; its result is null while the service is unavailable
 */
export function createPatience(patienceMs: number) {
  let lastAnswerAt = Number.NEGATIVE_INFINITY
  return async <Answer>(call: Promise<Answer>): Promise<Answer | null> => {
    try {
      const answer = await call
      lastAnswerAt = performance.now()
      return answer
    } catch (error) {
      if (!isUnavailable(error) || performance.now() - lastAnswerAt >= patienceMs) throw error
      return null
    }
  }
}
