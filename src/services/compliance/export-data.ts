import type { ExportedRows } from "../../adapters/store/erasure.ts"
import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressTerms } from "../../domain/compliance/data-subject.ts"
import { addressHashes } from "../../domain/suppression/address-hash.ts"

export interface ExportedData {
  /** Rows by table, page by page: memory does not grow with them. */
  readonly tables: AsyncIterable<ExportedRows>
  /** What the edge shows to everybody who asks about the address; null when it holds nothing. */
  readonly edge: unknown
}

/** Everything stored about an address: of one account, or with `accountId` null of everybody. */
export async function exportData(
  needs: Pick<Deps, "erasure" | "digests" | "cache">,
  { address, accountId }: { address: ValidAddress; accountId: string | null },
): Promise<ExportedData> {
  const subject = { by: "address", terms: await addressTerms(needs.digests, address), accountId } as const
  // Looked up before anything is answered: without the database that is a refusal, and no export that breaks off.
  const results = await needs.erasure.resultsOf(subject, 1)
  const mayBeShown = accountId === null || results.length > 0
  const edge = mayBeShown ? await atEdge(needs, address) : null
  return { tables: needs.erasure.collect(subject), edge }
}

async function atEdge({ digests, cache }: Pick<Deps, "digests" | "cache">, address: ValidAddress): Promise<unknown> {
  for (const hash of await addressHashes(digests, address)) {
    const cached = await cache.get(hash)
    if (cached) return JSON.parse(cached.json)
  }
  return null
}
