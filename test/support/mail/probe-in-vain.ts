import type { EngineDeps } from "../../../probe-node/probe.ts"
import type { Trace } from "../../../probe-node/smtp/connection.ts"
import type { RecipientLine } from "../../../schema/wire/probe.ts"
import { stopSteadyClock } from "../time/steady-clock.ts"
import { until } from "../time/until.ts"
import { type ProbeSetup, probe } from "./probe-engine.ts"

/** An engine that records what happens on its connections: "connected", or "received" with the host's text. */
export function traced(engine: EngineDeps): { readonly engine: EngineDeps; readonly events: readonly string[] } {
  const events: string[] = []
  const trace: Trace = (event) =>
    void events.push(event.kind === "received" ? `received ${event.bytes.toString()}` : event.kind)
  return { engine: { ...engine, trace }, events }
}

interface Wait {
  /** The end of the event after which no other comes. */
  readonly after: string
  /** Which one of several such events. */
  readonly nth?: number
  /** How long the engine then waits, in ms. */
  readonly ms: number
}

/** Runs a probe whose engine waits in vain for a host. The time of this wait passes at once. */
export async function probeInVain(
  engine: EngineDeps,
  setup: ProbeSetup,
  { after, nth = 1, ms }: Wait,
): Promise<RecipientLine[]> {
  const { engine: own, events } = traced(engine)
  const probing = probe(own, setup)
  await until(
    () => events.filter((event) => event.endsWith(after)),
    (seen) => seen.length >= nth,
  )
  stopSteadyClock().pass(ms)
  return probing
}
