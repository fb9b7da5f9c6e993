import { NOW } from "./evidence.ts"

/** Default dependencies of verifications: the time is fixed, digests are the texts, nothing is stored. */
export const DEFAULT_DEPS = {
  clock: { now: () => NOW, sleep: () => new Promise(() => undefined) },
  digests: { of: async (_: string, text: string) => text, candidates: async (_: string, text: string) => [text] },
  randomToken: () => "token",
  log: () => undefined,
  background: () => undefined,
  cache: { put: async () => undefined, startCompletion: () => false },
  writeBehind: { add: async () => "stored" },
  store: { accountErasures: { has: async () => false } },
}
