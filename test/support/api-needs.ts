import type { ApiNeeds } from "../../src/adapters/integrations/api-client.ts"

/** Needs of providers' clients whose waits take no time; they are told. */
export function apiNeeds(): ApiNeeds & { readonly waits: number[] } {
  let now = 1_760_000_000_000
  const waits: number[] = []
  const sleep = async (ms: number) => {
    waits.push(ms)
    now += ms
  }
  return { fetch: (url, init) => fetch(url, init), clock: { now: () => now, sleep }, userAgent: "test", waits }
}
