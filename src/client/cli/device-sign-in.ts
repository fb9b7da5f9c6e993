import { ConnectionError, MailverdictError } from "../errors.ts"
import { urlOf } from "../request.ts"
import { pause } from "../retry.ts"
import { UsageError } from "./config.ts"

/** The id of this program at the service. */
const CLIENT_ID = "mailverdict-cli"
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
const REQUEST_MS = 30_000
/** RFC 8628 3.5: what "slow_down" adds to the wait between two polls. */
const SLOWER_SECONDS = 5

/** A sign-in that waits for the user (RFC 8628 3.2). */
export interface DeviceSignIn {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete: string
  /** Seconds, both. */
  readonly expires_in: number
  readonly interval: number
}

interface Asked {
  /** Of the key that the service creates. */
  readonly name: string
  /** All that a restricted key may have, when left out. */
  readonly scopes: readonly string[] | undefined
}

/** Begins a sign-in. @throws MailverdictError, ConnectionError, UsageError at a service without this sign-in */
export async function beginDeviceSignIn(url: string, { name, scopes }: Asked): Promise<DeviceSignIn> {
  const scope = scopes?.join(" ")
  const fields = { client_id: CLIENT_ID, client_name: name, ...(scope === undefined ? {} : { scope }) }
  const answer = await post(url, "/oauth/device_authorization", fields)
  if (answer.status === 404 || answer.status === 405)
    throw new UsageError(`the service at ${url} has no sign-in by a code. Use: mailverdict login --key`)
  if (answer.status !== 200) throw refusalOf(answer)
  return answer.body as unknown as DeviceSignIn
}

/**
 * Polls until the user has decided. A poll without an answer is repeated, because networks fail for a moment.
 * @returns the API key @throws UsageError when the user refused or the code expired, MailverdictError
 */
export async function waitForKey(
  url: string,
  { device_code, interval, expires_in }: DeviceSignIn,
  signal: AbortSignal,
): Promise<string> {
  let seconds = interval
  for (let waited = 0; waited < expires_in; waited += seconds) {
    await pause(seconds * 1_000, signal)
    const answer = await post(url, "/oauth/token", {
      grant_type: DEVICE_GRANT,
      client_id: CLIENT_ID,
      device_code,
    }).catch(() => null)
    const { access_token: key, error } = answer?.body ?? {}
    if (typeof key === "string") return key
    if (error === "slow_down" || answer?.status === 429) seconds += SLOWER_SECONDS
    else if (error === "access_denied") throw new UsageError("the sign-in was refused in the console")
    else if (error === "expired_token") break
    else if (answer && answer.status < 500 && error !== "authorization_pending") throw refusalOf(answer)
  }
  throw new UsageError("the code expired before it was approved. Run again: mailverdict login")
}

/** Revokes a key by its secret (RFC 7009). @throws MailverdictError, ConnectionError */
export async function revokeKey(url: string, key: string): Promise<void> {
  const answer = await post(url, "/oauth/revoke", { token: key, client_id: CLIENT_ID })
  if (answer.status !== 200) throw refusalOf(answer)
}

interface FormAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

/** Posts a form of OAuth. @throws ConnectionError */
async function post(url: string, path: string, fields: Readonly<Record<string, string>>): Promise<FormAnswer> {
  const target = urlOf(url, path)
  try {
    const body = new URLSearchParams(fields)
    // A redirect would take the code to another place.
    const response = await fetch(target, {
      method: "POST",
      body,
      redirect: "error",
      signal: AbortSignal.timeout(REQUEST_MS),
    })
    const { status, headers } = response
    return { status, headers, body: (await response.json().catch(() => ({}))) as FormAnswer["body"] }
  } catch (error) {
    const { cause, message } = error as Error
    const reason = (cause as { message?: string; code?: string } | undefined)?.message || message
    throw new ConnectionError(`no answer from ${target.origin} (${reason})`, { cause: error })
  }
}

function refusalOf({ status, headers, body }: FormAnswer): MailverdictError {
  const wait = Number(headers.get("retry-after") ?? Number.NaN)
  return new MailverdictError({
    status,
    detail: body.error_description ?? body.detail,
    code: body.error ?? body.code ?? null,
    requestId: headers.get("x-request-id"),
    retryAfterSeconds: Number.isFinite(wait) ? wait : null,
  })
}
