import type { Status } from "../../../../schema/vocabulary.ts"
import type { Candidate, FoundEmail, NoFormatsReason } from "../../api/shapes.ts"
import { percent } from "../../words.ts"
import type { Person } from "./person.ts"

/** The confidence that an address is the person's own, in words. @param confidence 0 to 1 */
export function confidenceWords(confidence: number, { first, last }: Person): string {
  const whose = `${first} ${last}'s address`
  if (confidence >= 0.9) return `Almost certainly ${whose}`
  if (confidence >= 0.7) return `Very likely ${whose}`
  if (confidence >= 0.5) return `Likely ${whose}`
  if (confidence >= 0.2) return `Possibly ${whose}`
  return `A guess: probably not ${whose}`
}

/** Why the best address has its outcome. */
export function outcomeWords({ outcome, candidates, is_catch_all: isCatchAll }: FoundEmail): string {
  switch (outcome) {
    case "verified":
      return "The mail server confirmed the mailbox, and rejects unknown ones."
    case "likely":
      return "The mailbox cannot be confirmed, but other addresses of the domain have this format."
    case "guess":
      if (candidates[0]?.verified) return "The mailbox exists, but it may be another person's."
      return isCatchAll
        ? "The domain accepts every address, so the mailbox cannot be confirmed."
        : "The mailbox could not be confirmed, and no known address of the domain has this format."
    case "not_found":
      return "The mail server rejects the most likely addresses of this name."
    case "no_mail":
      return "The domain accepts no mail."
  }
}

/** Why a domain has no address formats. */
export const NO_FORMATS_WORDS: Readonly<Record<NoFormatsReason, string>> = {
  free_provider: "This is a free mailbox provider. Its addresses do not belong to one company.",
  disposable: "This domain gives out disposable addresses. They do not belong to one company.",
  relay: "This domain forwards mail for people of many companies.",
  no_such_domain: "The domain does not exist. Check its spelling.",
  null_mx: "The domain declares that it accepts no mail.",
  no_mail_host: "The domain has no mail host.",
}

/** The status of a candidate's mailbox, as far as the search shows it. */
export function statusOf(candidate: Candidate, isCatchAll: boolean | null): Status {
  if (candidate.verified) return "valid"
  if (candidate.basis.exists === false) return "invalid"
  return isCatchAll ? "accept_all" : "unknown"
}

export const creditsUsed = (credits: number): string =>
  credits === 0 ? "No credit used." : credits === 1 ? "1 credit used." : `${credits} credits used.`

/** A probability as a percentage. The API rounds a small one to 0, but none is impossible. */
export const likelihood = (share: number): string => percent(Math.max(share, Number.EPSILON))
