export type ProviderUrl = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly problem: string }

/**
 * Validates a provider URL of an account. Only hosts of the provider are allowed, so that an account cannot direct
 * requests elsewhere. A host listed with a port is the operator's own and may use plain http.
 * @param hosts "host", "*.host" or "host:port"
 */
export function readProviderUrl(text: string, hosts: readonly string[]): ProviderUrl {
  const url = URL.parse(text)
  if (url?.username !== "" || url.password !== "") return refuse("must be a URL without user name and password")
  if (hosts.includes(url.host) && url.port !== "") return { ok: true, url: withoutHash(url) }
  if (url.protocol !== "https:" || url.port !== "")
    return refuse("must begin with https:// and must not contain a port")
  if (!hosts.some((host) => isAt(url.hostname, host))) return refuse(`must be at ${hosts.join(" or ")}`)
  return { ok: true, url: withoutHash(url) }
}

function isAt(hostname: string, host: string): boolean {
  return host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host
}

function withoutHash(url: URL): string {
  url.hash = ""
  return url.href
}

function refuse(problem: string): ProviderUrl {
  return { ok: false, problem }
}
