import { ensureOperations } from "../../../scripts/build/ensure-operations.ts"

/** Global, because each test project loads this file separately. */
const shared = globalThis as { mailverdictOperations?: Promise<void> }

/** Generates the client's types, which tests import, before the first test of a run. */
export async function setup(): Promise<void> {
  shared.mailverdictOperations ??= ensureOperations()
  await shared.mailverdictOperations
}
