import type { ListEntry } from "../../adapters/store/suppression/suppression.ts"
import type { Context } from "../../context.ts"

const PAGE = 1_000

/** Yields all entries of a list that still have their address, page by page, in constant memory. */
export async function* exportSuppressions(
  ctx: Context,
  list: string,
): AsyncGenerator<(ListEntry & { readonly address: string })[]> {
  for (let after = ""; ; ) {
    const page = await ctx.store.suppressions.page(list, after, { now: ctx.clock.now(), limit: PAGE })
    yield page.flatMap((entry) => (entry.address === null ? [] : [{ ...entry, address: entry.address }]))
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.addressHash
  }
}
