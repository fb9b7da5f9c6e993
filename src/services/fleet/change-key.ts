import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { withKey } from "../../domain/fleet/nodes.ts"
import { AppError } from "../../errors.ts"
import { OLD_KEY_MS, readKey } from "./enrol-node.ts"
import { ownerOf } from "./visible-nodes.ts"

/** Registers a node's new signing key. The former key is valid for a day. @returns its end, Unix ms */
export async function changeKey(
  ctx: Context,
  { caller, id, publicKey }: { caller: Caller; id: string; publicKey: string },
): Promise<number> {
  await readKey(publicKey)
  const now = ctx.clock.now()
  const oldKeysUntil = now + OLD_KEY_MS
  const node = (await ctx.store.fleetStore.nodes()).find((row) => row.id === id)
  const keys = withKey(node?.publicKeys ?? [], { key: publicKey, now, oldKeysUntil })
  const isChanged =
    node !== undefined && (await ctx.store.fleetStore.setKeys(id, keys, { owner: ownerOf(caller), now }))
  if (!isChanged) throw new AppError("not_found", "there is no such node, or it is not yours")
  await ctx.fleet.refresh()
  return oldKeysUntil
}
