import { rootCause } from "../../errors.ts"
import { Memo } from "../cache/memo.ts"
import type { Clock, Log } from "../platform.ts"

/** An outage costs one line a minute for each cause, not one for each call. */
const logged = new Memo<true>({ capacity: 20, ttlMs: 60_000 })

/** @returns a function that logs why a call to the database failed, at most once a minute per isolate and cause */
export function storeFailureLog(log: Log, { now }: Pick<Clock, "now">): (error: unknown) => void {
  return function report(error) {
    const { message } = rootCause(error)
    if (logged.get(message, now())) return
    logged.set(message, true, now())
    log("unavailable", { detail: "a rate limiter cannot use the database", cause: message })
  }
}
