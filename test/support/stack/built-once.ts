import { ensureBuilt } from "../../../scripts/build/built.ts"

/** Global, because each test project loads this file separately. */
const shared = globalThis as { mailverdictBuild?: Promise<void> }

/** Builds the files of every stack in a test run before the first one starts. */
export async function setup(): Promise<void> {
  shared.mailverdictBuild ??= ensureBuilt()
  await shared.mailverdictBuild
}
