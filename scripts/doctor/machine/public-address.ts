import { connect, type PeerCertificate } from "node:tls"
import ipaddr from "ipaddr.js"
import type { Finding } from "../finding.ts"

const WAIT_MS = 10_000
const DAY_MS = 86_400_000
/** Caddy and certbot renew 30 days before the end. Below this, the renewal has failed for two weeks. */
const SOON_DAYS = 14
/** Of the network for examples (RFC 5737), so no caller has it. */
const FORGED = "192.0.2.77"

interface Certificate {
  readonly peer: PeerCertificate
  /** Why this machine does not trust it. Null: it is valid for the name. */
  readonly problem: string | null
}

const aboutTls = ({ host }: URL) => `TLS ${host}`

/** Before the start, often no proxy runs, and the host name may still point elsewhere. */
export function laterTls(baseUrl: URL): Finding {
  const detail = "is checked when the service runs: start it and the proxy, and then run this again"
  return { about: aboutTls(baseUrl), result: "warn", detail }
}

/** Checks the certificate at BASE_URL: that it is trusted, names the host and does not end soon. */
export async function checkTls(baseUrl: URL, now: number): Promise<Finding> {
  const about = aboutTls(baseUrl)
  const read = await certificateAt(baseUrl).catch((error: Error) => error)
  if (read instanceof Error) {
    const advice = "start the proxy, open port 443 and point the host name to this machine"
    return { about, result: "fail", detail: `no TLS connection (${read.message}): ${advice}` }
  }
  const { peer, problem } = read
  const end = Date.parse(peer.valid_to)
  const days = Math.floor((end - now) / DAY_MS)
  if (problem !== null) {
    const advice = "let the proxy obtain a certificate for this name, and read its log"
    return { about, result: "fail", detail: `the certificate is refused (${problem}): ${advice}` }
  }
  const until = `until ${new Date(end).toISOString().slice(0, 10)}`
  if (days < SOON_DAYS)
    return {
      about,
      result: "warn",
      detail: `the certificate is valid ${until} only: the renewal fails, read the proxy's log`,
    }
  return { about, result: "ok", detail: `the certificate is valid for this name, ${until}` }
}

function certificateAt(url: URL): Promise<Certificate> {
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

interface ProxyFacts {
  readonly baseUrl: URL
  readonly adminSecret: string
  /** CLIENT_IP_HEADER. */
  readonly header: string
}

/**
 * Calls the service through its public address with a forged CLIENT_IP_HEADER, and reads the address that the service
 * has seen. The proxy must replace what a caller claims. Call it over a trusted certificate only: it sends the secret.
 */
export async function checkProxyHeader({ baseUrl, adminSecret, header }: ProxyFacts): Promise<Finding> {
  const about = "CLIENT_IP_HEADER"
  const url = new URL("/admin/settings", baseUrl)
  const fail = (detail: string): Finding => ({ about, result: "fail", detail })
  let seen: string | null
  try {
    const headers = { "x-admin-secret": adminSecret, [header]: FORGED }
    const answer = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(WAIT_MS) })
    if (answer.status === 403)
      return fail(`${baseUrl.host} refuses ADMIN_SECRET: let the host name and the proxy lead to this service`)
    if (!answer.ok) return fail(`${baseUrl.host} answers ${answer.status}: read the proxy's log`)
    seen = ((await answer.json()) as { client_address?: string | null }).client_address ?? null
  } catch (error) {
    const { message, cause } = error as Error
    return fail(
      `${baseUrl.host} does not answer (${(cause as Error | undefined)?.message ?? message}): read the proxy's log`,
    )
  }
  if (seen === null)
    return fail(`the proxy does not set ${header}, so all callers without a key count as one: let it set the header`)
  if (seen === FORGED)
    return fail(`the proxy passes on the ${header} of callers, who can claim any address: let it set the header`)
  if (!ipaddr.isValid(seen))
    return fail(`${header} is not a single address (${seen.slice(0, 80)}): let the proxy set one`)
  return { about, result: "ok", detail: `${header} arrives with the caller's address (${seen})` }
}
