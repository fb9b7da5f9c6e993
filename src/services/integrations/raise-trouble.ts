import type { Trouble } from "../../domain/integrations/trouble.ts"
import { AppError } from "../../errors.ts"

const RETRY_SECONDS = 30

/** A provider's trouble as the caller's answer: 400 for what he can mend, 503 for what passes. */
export function raiseTrouble({ outcome, detail, retryAfterMs }: Trouble): never {
  if (outcome === "unauthorized" || outcome === "refused") throw new AppError("bad_request", detail)
  const seconds = retryAfterMs === null ? RETRY_SECONDS : Math.max(1, Math.ceil(retryAfterMs / 1_000))
  throw new AppError("unavailable", `${detail}; try again in ${seconds} seconds`, {
    headers: { "retry-after": String(seconds) },
  })
}
