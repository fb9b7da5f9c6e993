import { byWall } from "../../adapters/by-wall.ts"
import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHash } from "../../domain/suppression/address-hash.ts"
import { HEARD_OUT_MS } from "./collect-evidence.ts"

type Needs = Pick<Deps, "digests" | "flights" | "clock" | "background" | "probes">

/** For one of many who ask at once: find out, then `land`; read what another found out; or answer without, in time. */
export type Turn = { readonly land: () => Promise<void> } | "landed" | "late"

/** A leader still has to store what it found. Whoever has not landed by then is taken for dead, in ms. */
const LEASE_GRACE_MS = 5_000

/**
 * Of many who ask at once one does it; the others wait for it, each until its own wall. An account that asks its own nodes
 * flies alone: what they say helps nobody else, and how long they take is the account's own affair.
 */
export async function takeTurn(
  { digests, flights, clock, background, probes }: Needs,
  { address, wallAt }: { address: ValidAddress; wallAt: number },
): Promise<Turn> {
  const [hash, owner] = await Promise.all([addressHash(digests, address), probes.owner()])
  const flight = owner === null ? hash : `${hash} ${owner}`
  const land = () => flights.land(flight)
  const leftMs = Math.max(0, wallAt - clock.now())
  const behindMs = leftMs < HEARD_OUT_MS ? HEARD_OUT_MS : 0
  const entering = flights.enter(flight, leftMs + behindMs + LEASE_GRACE_MS)
  const isLeader = await byWall(clock, entering, wallAt)
  if (isLeader !== null) return isLeader ? { land } : "landed"
  // Who comes to lead too late makes way at once.
  background(entering.then((leads) => (leads ? land() : undefined)))
  return "late"
}
