import { NOW } from "./evidence.ts"

/** What every verification needs and few tests look at: time stands still, digests are the texts, nothing is kept or told. */
export const BARE_NEEDS = {
  clock: { now: () => NOW, sleep: () => new Promise(() => undefined) },
  digests: { of: async (_: string, text: string) => text },
  randomToken: () => "token",
  log: () => undefined,
  background: () => undefined,
  cache: { put: async () => undefined },
  presentCached: () => ({}),
}
