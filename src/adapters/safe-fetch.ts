import { isInSandbox, isPublicAddress, type SandboxNetwork } from "../../schema/wire/addresses.ts"
import { addressesOf } from "../domain/dns/hosts.ts"
import type { Dns } from "./dns/resolver.ts"
import type { OutboundFetch } from "./outbound.ts"
import { readText } from "./read-text.ts"

export type WebAnswer =
  | {
      readonly kind: "answer"
      readonly status: number
      /** The final URL after redirects. */
      readonly url: URL
      readonly contentType: string
      /** The start of the body. */
      readonly text: string
    }
  | { readonly kind: "no_address" } // the name has no address at all
  | { readonly kind: "blocked" } // an address that is not public, or a URL that is not followed
  | { readonly kind: "unreachable" }
  | { readonly kind: "dns_failure" }

export interface Web {
  /** Fetches a page of an untrusted site from public addresses, with tight limits. Never rejects. */
  get(url: string, limits?: { readonly maxRedirects?: number }): Promise<WebAnswer>
}

interface WebDeps extends OutboundFetch {
  readonly dns: Dns
  readonly sandbox: SandboxNetwork | null
  readonly userAgent: string
}

const TIMEOUT_MS = 3_000
const MAX_BYTES = 64 * 1024
const MAX_REDIRECTS = 3
const PORTS = ["", "80", "443"]

export function createWeb({ dns, fetch, fetchPublic, sandbox, userAgent }: WebDeps): Web {
  /** Sends one request after checking its target. A sandbox server gets the original name and scheme in headers. */
  async function fetchOnce(url: URL, signal: AbortSignal): Promise<Response | Exclude<WebAnswer, { kind: "answer" }>> {
    if (!["http:", "https:"].includes(url.protocol) || !PORTS.includes(url.port)) return { kind: "blocked" }
    if (url.username !== "" || url.password !== "" || isLiteral(url.hostname)) return { kind: "blocked" }
    const found = await addressesOf(dns, url.hostname)
    if (found === null) return { kind: "dns_failure" }
    if (found.length === 0) return { kind: "no_address" }
    const headers = { accept: "text/html,text/plain;q=0.9,*/*;q=0.1", "user-agent": userAgent }
    if (found.every((address) => isInSandbox(address, sandbox))) {
      const target = `http://${found[0]}:${sandbox?.port}${url.pathname}${url.search}`
      const forwarded = { "x-forwarded-host": url.hostname, "x-forwarded-proto": url.protocol.slice(0, -1) }
      return fetch(target, { headers: { ...headers, ...forwarded }, redirect: "manual", signal })
    }
    if (!found.every(isPublicAddress)) return { kind: "blocked" }
    return fetchPublic(url.href, { headers, redirect: "manual", signal })
  }

  return {
    async get(text, { maxRedirects = MAX_REDIRECTS } = {}) {
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      try {
        let url = new URL(text)
        for (let redirects = 0; ; redirects++) {
          const response = await fetchOnce(url, signal)
          if (!(response instanceof Response)) return response
          const location = redirects < maxRedirects ? redirectOf(response) : null
          if (location === null) return await readAnswer(response, url)
          await response.body?.cancel()
          if (!URL.canParse(location, url.href)) return { kind: "blocked" }
          url = new URL(location, url.href)
        }
      } catch {
        return { kind: "unreachable" }
      }
    },
  }
}

async function readAnswer(response: Response, url: URL): Promise<WebAnswer> {
  const contentType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? ""
  return { kind: "answer", status: response.status, url, contentType, text: await readText(response, MAX_BYTES) }
}

function redirectOf({ status, headers }: Response): string | null {
  return [301, 302, 303, 307, 308].includes(status) ? headers.get("location") : null
}

/** Whether the host is an IP address or has a single label. The URL parser normalizes every IPv4 form to dotted. */
function isLiteral(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname) || !hostname.includes(".")
}
