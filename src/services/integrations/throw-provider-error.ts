import type { Exchange } from "../../adapters/integrations/api-client.ts"
import { counted } from "../../domain/counted.ts"
import type { ProviderFailure } from "../../domain/integrations/provider.ts"
import { AppError } from "../../errors.ts"

const RETRY_SECONDS = 30

/**
 * Throws a provider's error as the caller's: 400 when the caller can fix it, 503 when it is temporary.
 * @param exchanges the requests that were made; the error names the last one
 */
export function throwProviderError(
  { outcome, detail, retryAfterMs }: ProviderFailure,
  exchanges: readonly Exchange[] = [],
): never {
  const message = [detail, ...exchanges.slice(-1).map(sentenceOf)].join("; ")
  if (outcome === "unauthorized" || outcome === "refused") throw new AppError("bad_request", message)
  const seconds = retryAfterMs === null ? RETRY_SECONDS : Math.max(1, Math.ceil(retryAfterMs / 1_000))
  throw new AppError("unavailable", `${message}; try again in ${counted(seconds, "second")}`, {
    retryAfterSeconds: seconds,
  })
}

function sentenceOf({ method, url, httpStatus }: Exchange): string {
  const answer = httpStatus === null ? "no answer" : `the answer's status ${httpStatus}`
  return `the request was ${method} ${url}, with ${answer}`
}
