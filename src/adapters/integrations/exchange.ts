/** A request to a provider with its answer, without secrets and without bodies. */
export interface Exchange {
  readonly method: string
  /** A hook's path is masked, because it is the secret. */
  readonly url: string
  /** By name; values that may be secret are masked. */
  readonly headers: Readonly<Record<string, string>>
  /** Null without an answer. */
  readonly httpStatus: number | null
  readonly elapsedMs: number
}

const MASK = "***"
/** Headers whose values are the same for every account. Any other value may be a secret. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "revision", "user-agent"])

interface Sent {
  readonly method: string
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The URL's path is a secret. */
  readonly isHook?: true
}

/** Describes a request for the account that made it. */
export function exchangeOf(
  { method, url, headers, isHook }: Sent,
  answer: Pick<Exchange, "httpStatus" | "elapsedMs">,
): Exchange {
  const masked = Object.entries(headers).map(([name, value]) => [name, PUBLIC_HEADERS.has(name) ? value : MASK])
  return {
    method,
    url: isHook ? `${new URL(url).origin}/${MASK}` : url,
    headers: Object.fromEntries(masked),
    ...answer,
  }
}
