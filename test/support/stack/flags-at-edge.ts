import type { ValidAddress } from "../../../src/domain/address/parse.ts"
import type { AccountFlags } from "../../../src/domain/suppression/flags.ts"
import { findAccountFlagsAtEdge, suppressionFlagsAbout } from "../../../src/services/suppression/flags.ts"

type Needs = Parameters<typeof suppressionFlagsAbout>[0] & Parameters<typeof findAccountFlagsAtEdge>[0]

/** The suppression state of an address for an account, from the edge's flags. */
export async function flagsAtEdge(
  needs: Needs,
  asked: { accountId: string | null; address: ValidAddress },
): Promise<AccountFlags | null> {
  return findAccountFlagsAtEdge(needs, await suppressionFlagsAbout(needs, asked))
}
