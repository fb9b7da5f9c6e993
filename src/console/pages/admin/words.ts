import type { User } from "../../api/shapes.ts"
import { count } from "../../words.ts"

/** The owner's address; the id of an account whose keys were made without one. */
export const nameOf = ({ owner_email, account_id }: Pick<User, "owner_email" | "account_id">): string =>
  owner_email || account_id

/** "1,200 of 10,000" */
export function creditsOf({ credits_used: used, credits_limit: limit }: User): string {
  return limit === null ? count(used) : `${count(used)} of ${count(limit)}`
}
