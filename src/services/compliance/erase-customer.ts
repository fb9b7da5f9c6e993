import { inParallel } from "../../adapters/in-parallel.ts"
import { type ErasedRows, rowsIn } from "../../adapters/store/erasure.ts"
import type { Deps } from "../../deps.ts"
import { AppError } from "../../errors.ts"
import { MOST_ROWS } from "./purge.ts"

type Needs = Pick<Deps, "erasure" | "gates" | "keys" | "marks" | "operator" | "suppressions">

/** Marks that one call takes off the edge: a platform's KV may be asked a thousand things in it. */
const PAGE = 800
const AT_A_TIME = 12

/**
 * Erases an account with everything it has, as much of it as one call can take away. Its keys are refused from the next
 * request on; results, which all accounts share and which name no account, stay. @throws AppError not_found
 */
export async function eraseCustomer(
  needs: Needs,
  accountId: string,
): Promise<{ tables: readonly ErasedRows[]; isComplete: boolean }> {
  if (!(await needs.operator.account(accountId))) throw new AppError("not_found", "there is no such customer")
  // First of all: whatever came in while the rest is removed would stay behind.
  const digests = await needs.keys.digestsOf(accountId)
  await needs.erasure.closeAccount(accountId)
  await Promise.all(digests.map((digest) => needs.gates.ofKey(digest).forget()))
  const marked = await needs.suppressions.hashes(accountId, { after: "", limit: PAGE })
  await inParallel(marked, AT_A_TIME, (hash) => needs.marks.put(accountId, hash, null))
  if (marked.length === PAGE) {
    await needs.erasure.dropMarks(accountId, marked)
    return { tables: [{ table: "suppressions", removed: marked.length, blanked: 0 }], isComplete: false }
  }
  const tables = await needs.erasure.eraseAccount(accountId, MOST_ROWS)
  return { tables, isComplete: rowsIn(tables) < MOST_ROWS }
}
