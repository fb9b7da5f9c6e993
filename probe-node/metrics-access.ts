import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { isLoopbackHost } from "../schema/wire/addresses.ts"
import type { NodeConfig } from "./config.ts"

type AccessSettings = Pick<NodeConfig, "host" | "metricsToken">

/**
 * Whether a request may read the metrics: with the token if one is set, else only from this machine. A proxied request
 * counts as remote: it names another host, or its client in X-Forwarded-For.
 */
export function mayReadMetrics(settings: AccessSettings, headers: IncomingHttpHeaders): boolean {
  const { metricsToken } = settings
  if (metricsToken !== null) return isSame(/^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "", metricsToken)
  if (areMetricsClosed(settings) || headers["x-forwarded-for"] !== undefined) return false
  return isLoopbackHost(URL.parse(`http://${headers.host}`)?.hostname ?? "")
}

/** Whether all requests for metrics are refused: the node listens beyond loopback without a token. */
export function areMetricsClosed({ host, metricsToken }: AccessSettings): boolean {
  return metricsToken === null && !isLoopbackHost(host)
}

/** Compares digests in constant time, so that timing reveals neither the token nor its length. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
