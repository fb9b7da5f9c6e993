import { setTimeout as sleep } from "node:timers/promises"

/**
 * Lets real time pass, because the clock of another process decides: an idle object leaves memory, a session expires.
 * What follows must hold for any longer time too. To wait for an event, poll for the event.
 * @param reason what happens in that time
 */
export async function letTimePass(ms: number, reason: string): Promise<void> {
  if (reason === "") throw new Error("a wait needs a reason")
  await sleep(ms)
}

/**
 * Waits for an arbitrary moment, at which a test of chaos strikes. Every moment must give the same result.
 * @param chance from 0 to 1, of a seeded generator
 */
export async function anyMoment(chance: number, withinMs: number): Promise<void> {
  await sleep(chance * withinMs)
}
