import type { ListEntry } from "../../adapters/store/suppression.ts"
import type { Deps } from "../../deps.ts"

const PAGE = 1_000

/** All entries of a list that still name their address, page by page: memory does not grow with the list. */
export async function* exportSuppressions(
  { suppressions, clock }: Pick<Deps, "suppressions" | "clock">,
  list: string,
): AsyncGenerator<(ListEntry & { readonly address: string })[]> {
  for (let after = ""; ; ) {
    const page = await suppressions.page(list, after, { now: clock.now(), limit: PAGE })
    yield page.flatMap((entry) => (entry.address === null ? [] : [{ ...entry, address: entry.address }]))
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.addressHash
  }
}
