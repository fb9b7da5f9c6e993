import type { ApiDeps } from "../../../src/adapters/integrations/api-client.ts"

/** Context of providers' clients whose sleeps take no time. `waits` records them. */
export function apiDeps(): ApiDeps & { readonly waits: number[] } {
  let now = 1_760_000_000_000
  const waits: number[] = []
  const sleep = async (ms: number) => {
    waits.push(ms)
    now += ms
  }
  return { fetch: (url, init) => fetch(url, init), clock: { now: () => now, sleep }, userAgent: "test", waits }
}
