import type { ProviderFailure } from "../../domain/integrations/provider-failure.ts"
import { AppError } from "../../errors.ts"

const RETRY_SECONDS = 30

/** Throws a provider's error as the caller's: 400 when the caller can fix it, 503 when it is temporary. */
export function throwProviderError({ outcome, detail, retryAfterMs }: ProviderFailure): never {
  if (outcome === "unauthorized" || outcome === "refused") throw new AppError("bad_request", detail)
  const seconds = retryAfterMs === null ? RETRY_SECONDS : Math.max(1, Math.ceil(retryAfterMs / 1_000))
  throw new AppError("unavailable", `${detail}; try again in ${seconds} seconds`, {
    retryAfterSeconds: seconds,
  })
}
