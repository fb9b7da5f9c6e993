import { EnvHttpProxyAgent, setGlobalDispatcher } from "undici"

/** A local service is never behind the proxy. */
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "::1"]

/** Covers a proxy's own lookup and connection. A deadline of the caller may end the request earlier. */
const LIMITS_MS = { connectTimeout: 10_000, headersTimeout: 30_000, bodyTimeout: 30_000, keepAliveTimeout: 4_000 }

/**
 * Sends each `fetch` of this process through HTTPS_PROXY or HTTP_PROXY, except to the hosts in NO_PROXY and to this
 * machine. The lower-case names work, too. Without them the connections are direct. Connections are pooled.
 */
export function useProxyFromEnvironment(): void {
  const { no_proxy: lower, NO_PROXY: upper = "" } = process.env
  const excluded = lower ?? upper
  const noProxy = excluded.trim() === "*" ? "*" : [excluded, ...LOCAL_HOSTS].filter(Boolean).join(",")
  setGlobalDispatcher(new EnvHttpProxyAgent({ ...LIMITS_MS, noProxy }))
}
