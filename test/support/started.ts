import { onTestFinished } from "vitest"

/** A stand-in of one test, stopped when that is over. */
export async function started<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const server = await starting
  onTestFinished(server.stop)
  return server
}
