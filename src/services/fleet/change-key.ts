import { withKey } from "../../adapters/store/fleet.ts"
import type { Deps } from "../../deps.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { AppError } from "../../errors.ts"
import { OLD_KEY_MS, readKey } from "./enrol-node.ts"
import { ownerOf } from "./visible-nodes.ts"

/** Tells that a node will sign with another key; the one before stays good for a day. @returns until when, Unix ms */
export async function changeKey(
  { clock, fleet, fleetStore }: Pick<Deps, "clock" | "fleet" | "fleetStore">,
  { caller, id, publicKey }: { caller: Caller; id: string; publicKey: string },
): Promise<number> {
  await readKey(publicKey)
  const now = clock.now()
  const oldKeysUntil = now + OLD_KEY_MS
  const node = (await fleetStore.nodes()).find((row) => row.id === id)
  const keys = withKey(node?.publicKeys ?? [], { key: publicKey, now, oldKeysUntil })
  const isChanged = node !== undefined && (await fleetStore.setKeys(id, keys, { owner: ownerOf(caller), now }))
  if (!isChanged) throw new AppError("not_found", "there is no such node, or it is not yours")
  await fleet.refresh()
  return oldKeysUntil
}
