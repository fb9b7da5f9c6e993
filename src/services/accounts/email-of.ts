import { storeUnavailable } from "../../adapters/keygate/gates.ts"
import type { Member } from "../../domain/accounts/caller.ts"

/** Whose account it is. @throws AppError unavailable while the store that knows does not answer */
export function emailOf({ email }: Member): string {
  if (email === null) throw storeUnavailable()
  return email
}
