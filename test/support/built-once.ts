import { ensureBuilt } from "../../scripts/built.ts"

/** Projects load this file one by one, so that a variable of it would be there once for each. */
const shared = globalThis as { mailverdictBuild?: Promise<void> }

/** Builds what every stack of a test run serves, before the first one starts. */
export async function setup(): Promise<void> {
  shared.mailverdictBuild ??= ensureBuilt()
  await shared.mailverdictBuild
}
