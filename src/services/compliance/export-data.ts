import type { ExportedRows } from "../../adapters/store/erasure.ts"
import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressTerms } from "../../domain/compliance/data-subject.ts"
import { addressHashes } from "../../domain/suppression/address-hash.ts"

export interface ExportedData {
  /** Rows by table, page by page: memory does not grow with them. */
  readonly tables: AsyncIterable<ExportedRows>
  /** What the edge shows to everybody who asks about the address; null when it holds nothing. Asked after the tables. */
  edge(): Promise<unknown>
}

/** Everything stored about an address: of one account, or with `accountId` null of everybody. */
export async function exportData(
  needs: Pick<Deps, "erasure" | "digests" | "cache">,
  { address, accountId }: { address: ValidAddress; accountId: string | null },
): Promise<ExportedData> {
  const terms = await addressTerms(needs.digests, address)
  let mayBeShown = accountId === null
  async function* tables() {
    for await (const page of needs.erasure.collect({ by: "address", terms, accountId })) {
      if (page.table === "results") mayBeShown = true
      yield page
    }
  }
  return {
    tables: tables(),
    async edge() {
      for (const hash of mayBeShown ? await addressHashes(needs.digests, address) : []) {
        const cached = await needs.cache.get(hash)
        if (cached) return JSON.parse(cached.json)
      }
      return null
    },
  }
}
