import { countOrRefuse } from "../../adapters/keygate/gates.ts"
import type { Deps } from "../../deps.ts"

const PER_ACCOUNT = { limit: 100, windowMs: 60 * 60_000 } as const

/** Counts a secret that an account has us make: each is a row, of keys one for good. @throws AppError rate_limited */
export async function countSecret({ gates }: Pick<Deps, "gates">, accountId: string): Promise<void> {
  await countOrRefuse(gates.ofAction(`secrets:${accountId}`), PER_ACCOUNT)
}
