import { ensureBuilt } from "../../../scripts/build/built.ts"
import { sqldBinary } from "../sqld/sqld.ts"
import { ON_SQLD } from "./database-server.ts"

/** Global, because each test project loads this file separately. */
const shared = globalThis as { mailverdictBuild?: Promise<void> }

/** Builds the files of every stack in a test run, and installs sqld for it, before the first one starts. */
export async function setup(): Promise<void> {
  if (ON_SQLD) sqldBinary()
  shared.mailverdictBuild ??= ensureBuilt()
  await shared.mailverdictBuild
}
