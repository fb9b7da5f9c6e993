import { PERSONAL_TABLES } from "../../../schema/tables/personal-data.ts"
import type { ExportedRows } from "../../adapters/store/compliance/erasure.ts"
import type { Context } from "../../context.ts"
import { addressHashes } from "../../domain/address/address-forms.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressTerms } from "../../domain/compliance/data-subject.ts"
import { findStored } from "../admin/find-stored.ts"

/** The tables for an account that may not see the result. */
const WITHOUT_RESULT = PERSONAL_TABLES.map(({ table }) => table).filter((table) => table !== "results")

export interface ExportedData {
  /** Rows by table, page by page, in constant memory. */
  readonly tables: AsyncIterable<ExportedRows>
  /** The edge's cached result of the address, the same for all callers. Null when there is none. */
  readonly edge: unknown
}

/** Exports the stored data about an address: of one account, or of all accounts when `accountId` is null. */
export async function exportData(
  ctx: Context,
  { address, accountId }: { address: ValidAddress; accountId: string | null },
): Promise<ExportedData> {
  const subject = { by: "address", terms: await addressTerms(ctx.digests, address), accountId } as const
  // Read before the response begins: a database failure is then an error response and not a truncated export.
  const stored = await findStored(ctx, { address, accountId })
  const isShown = accountId === null || stored !== null
  const edge = isShown ? await atEdge(ctx, address) : null
  return { tables: ctx.store.erasure.collect(isShown ? subject : { ...subject, tables: WITHOUT_RESULT }), edge }
}

async function atEdge({ digests, cache }: Pick<Context, "digests" | "cache">, address: ValidAddress): Promise<unknown> {
  for (const hash of await addressHashes(digests, address)) {
    const cached = await cache.get(hash)
    if (cached) return JSON.parse(cached.json)
  }
  return null
}
