import { dayOf } from "../time.ts"
import type { Verification } from "./verification.ts"

/** Whether a domain accepts every address, by the stored probes of its mailboxes. */
export interface DomainCatchAll {
  /** Null without a conclusive probe. */
  readonly isCatchAll: boolean | null
  /** UTC day of the deciding probe. A more exact time could identify a verification. */
  readonly day: string | null
  /** Number of conclusive probes. */
  readonly probes: number
}

/** Combines results of a domain's addresses. The newest conclusive probe decides, because a server can change. */
export function domainCatchAll(
  results: readonly Pick<Verification, "evidence" | "verdict" | "verifiedAt">[],
): DomainCatchAll {
  const found = results
    .flatMap((result) => {
      const isCatchAll = conclusionOf(result)
      return isCatchAll === null ? [] : [{ isCatchAll, at: result.verifiedAt }]
    })
    .toSorted((a, b) => b.at - a.at)
  const [newest] = found
  if (!newest) return { isCatchAll: null, day: null, probes: 0 }
  return { isCatchAll: newest.isCatchAll, day: dayOf(newest.at), probes: found.length }
}

/** A server that refuses one mailbox as missing does not accept every address. */
function conclusionOf({ evidence, verdict }: Pick<Verification, "evidence" | "verdict">): boolean | null {
  if (!evidence.mailbox || evidence.mailbox.isPrivate) return null
  return verdict.reply?.class === "mailbox_missing" ? false : verdict.isCatchAll
}
