import { type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { TEST_ACCOUNT_SUFFIX } from "../../../schema/vocabulary.ts"

/**
 * The account in `accounts` that decides about a row: of the account of test keys, which has no row of its own, the one
 * that owns the keys.
 */
export const ownerOf = (accountId: SQLWrapper): SQL<string> => sql`replace(${accountId}, ${TEST_ACCOUNT_SUFFIX}, '')`
