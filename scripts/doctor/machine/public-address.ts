import { connect, type PeerCertificate } from "node:tls"
import ipaddr from "ipaddr.js"
import { type Finding, fail, ok, warn } from "../finding.ts"

const WAIT_MS = 10_000
const DAY_MS = 86_400_000
/** Caddy and certbot renew 30 days before the end. Below this, the renewal has failed for two weeks. */
const SOON_DAYS = 14
/** Of the network for examples (RFC 5737), so no caller has it. */
const FORGED = "192.0.2.77"

const aboutTls = ({ host }: URL) => `TLS ${host}`

/** Before the start, often no proxy runs, and the host name may still point elsewhere. */
export function laterTls(baseUrl: URL): Finding {
  const detail = "is checked when the service runs: start it and the proxy, and then run this again"
  return warn(aboutTls(baseUrl), detail)
}

/** Checks the certificate at BASE_URL: that it is trusted, names the host and does not end soon. */
export async function checkTls(baseUrl: URL, now: number): Promise<Finding> {
  const about = aboutTls(baseUrl)
  const read = await certificateAt(baseUrl).catch((error: Error) => error)
  if (read instanceof Error) {
    const advice = "start the proxy, open port 443 and point the host name to this machine"
    return fail(about, `no TLS connection (${read.message}): ${advice}`)
  }
  const { peer, problem } = read
  const end = Date.parse(peer.valid_to)
  const days = Math.floor((end - now) / DAY_MS)
  if (problem !== null) {
    const advice = "let the proxy obtain a certificate for this name, and read its log"
    return fail(about, `the certificate is refused (${problem}): ${advice}`)
  }
  const until = `until ${new Date(end).toISOString().slice(0, 10)}`
  if (days < SOON_DAYS)
    return warn(about, `the certificate is valid ${until} only: the renewal fails, read the proxy's log`)
  return ok(about, `the certificate is valid for this name, ${until}`)
}

/** @returns `problem`: why this machine does not trust it. Null: it is valid for the name */
function certificateAt(url: URL): Promise<{ peer: PeerCertificate; problem: string | null }> {
  return new Promise((resolve, reject) => {
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const servername = ipaddr.isValid(host) ? "" : host
    const socket = connect({ host, port: Number(url.port || 443), servername, rejectUnauthorized: false })
    socket.setTimeout(WAIT_MS, () => socket.destroy(new Error(`no answer within ${WAIT_MS / 1_000} s`)))
    socket.once("error", reject)
    socket.once("secureConnect", () => {
      const problem = socket.authorized ? null : String(socket.authorizationError)
      resolve({ peer: socket.getPeerCertificate(), problem })
      socket.destroy()
    })
  })
}

/**
 * Calls the service through its public address with a forged CLIENT_IP_HEADER, and reads the address that the service
 * has seen. The proxy must replace what a caller claims. Call it over a trusted certificate only: it sends the secret.
 * @param facts.header CLIENT_IP_HEADER
 */
export async function checkProxyHeader({
  baseUrl,
  adminSecret,
  header,
}: {
  baseUrl: URL
  adminSecret: string
  header: string
}): Promise<Finding> {
  const about = "CLIENT_IP_HEADER"
  const url = new URL("/admin/settings", baseUrl)
  let seen: string | null
  try {
    const headers = { "x-admin-secret": adminSecret, [header]: FORGED }
    const answer = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(WAIT_MS) })
    if (answer.status === 403)
      return fail(about, `${baseUrl.host} refuses ADMIN_SECRET: let the host name and the proxy lead to this service`)
    if (!answer.ok) return fail(about, `${baseUrl.host} answers ${answer.status}: read the proxy's log`)
    seen = ((await answer.json()) as { client_address?: string | null }).client_address ?? null
  } catch (error) {
    const { message, cause } = error as Error
    return fail(
      about,
      `${baseUrl.host} does not answer (${(cause as Error | undefined)?.message ?? message}): read the proxy's log`,
    )
  }
  if (seen === null)
    return fail(
      about,
      `the proxy does not set ${header}, so all callers without a key count as one: let it set the header`,
    )
  if (seen === FORGED)
    return fail(about, `the proxy passes on the ${header} of callers, who can claim any address: let it set the header`)
  if (!ipaddr.isValid(seen))
    return fail(about, `${header} is not a single address (${seen.slice(0, 80)}): let the proxy set one`)
  return ok(about, `${header} arrives with the caller's address (${seen})`)
}
