export type ProviderUrl = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly problem: string }

/**
 * Reads a URL an account gave for one of its providers. Only hosts of the provider are taken, so nobody can have us ask
 * somebody else. A host written with its port is the operator's own: plain http will do there.
 * @param hosts "host", "*.host" or "host:port"
 */
export function readProviderUrl(text: string, hosts: readonly string[]): ProviderUrl {
  const url = URL.parse(text)
  if (url?.username !== "" || url.password !== "") return refuse("is not a URL of the provider")
  if (hosts.includes(url.host) && url.port !== "") return { ok: true, url: withoutHash(url) }
  if (url.protocol !== "https:" || url.port !== "") return refuse("must begin with https:// and name no port")
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
