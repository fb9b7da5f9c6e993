import { onTestFinished } from "vitest"

/** A server for one test, stopped when the test ends. */
export async function stoppedAfterTest<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const server = await starting
  onTestFinished(server.stop)
  return server
}
