/** What is true of a sandbox address, whatever a verifier says. */
export type Truth =
  /** Ordinary mail to the address arrives. */
  | "exists"
  /** No mail to the address can arrive, now or later. */
  | "missing"
  /** One call from one sender cannot find out: a refusal of the sender, a temporary failure, a catch-all domain. */
  | "cannot be known"

/** What a verifier says, in the words that all of them share. */
export type Verdict = "deliverable" | "undeliverable" | "unknown"

export type Outcome =
  | "right"
  /** Unknown where the truth was available. */
  | "cautious"
  /** Deliverable where nothing shows it. */
  | "unproven"
  /** A good or possibly good address is given up, or a missing one is called deliverable. */
  | "grave"

const OUTCOMES: Readonly<Record<Truth, Readonly<Record<Verdict, Outcome>>>> = {
  exists: { deliverable: "right", unknown: "cautious", undeliverable: "grave" },
  missing: { undeliverable: "right", unknown: "cautious", deliverable: "grave" },
  "cannot be known": { unknown: "right", deliverable: "unproven", undeliverable: "grave" },
}

export function outcomeOf(truth: Truth, verdict: Verdict): Outcome {
  return OUTCOMES[truth][verdict]
}

export function isTruth(word: string): word is Truth {
  return Object.hasOwn(OUTCOMES, word)
}

/** The verdict behind a status of our service. */
export function verdictOf(status: string): Verdict {
  if (status === "valid") return "deliverable"
  return status === "invalid" || status === "invalid_syntax" ? "undeliverable" : "unknown"
}

export interface Answer {
  readonly address: string
  readonly verdict: Verdict
  /** The verifier's own words. */
  readonly raw: string
}

export interface ScoredAnswer extends Answer {
  readonly truth: Truth
  readonly outcome: Outcome
}

/** @throws Error when `truths` lacks an address */
export function score(answers: readonly Answer[], truths: Readonly<Record<string, Truth>>): ScoredAnswer[] {
  return answers.map((answer) => {
    const truth = truths[answer.address]
    if (!truth) throw new Error(`${answer.address}: add its truth to scripts/bench/verdicts/score.ts`)
    return { ...answer, truth, outcome: outcomeOf(truth, answer.verdict) }
  })
}

export function countOutcomes(answers: readonly { readonly outcome: Outcome }[]): Record<Outcome, number> {
  const counts = { right: 0, cautious: 0, unproven: 0, grave: 0 }
  for (const { outcome } of answers) counts[outcome]++
  return counts
}

/**
 * The truth of each sandbox address. It follows from the zone and the mail hosts of the sandbox (`scripts/sandbox/zone.ts`,
 * `scripts/sandbox/hosts.ts`), not from the answers that our own tests expect.
 */
export const TRUTHS: Readonly<Record<string, Truth>> = {
  "alice@mailbox.test": "exists",
  "alice+news@mailbox.test": "exists",
  "support@mailbox.test": "exists",
  "nobody@mailbox.test": "missing",
  "disabled@mailbox.test": "missing",
  // The mailbox exists and takes no mail today.
  "full@mailbox.test": "cannot be known",
  "overquota@mailbox.test": "cannot be known",
  "alice@alias.test": "exists",
  "alice@xn--bcher-kva.test": "exists",
  "anyone@catch-all.test": "cannot be known",
  "alice@catch-all-unclear.test": "exists",
  // One call ends before the greylisting time.
  "alice@greylist.test": "cannot be known",
  "alice@tempfail.test": "cannot be known",
  // The server refuses this sender, and says nothing about the mailbox.
  "alice@client-refused.test": "cannot be known",
  "alice@not-authorized.test": "cannot be known",
  "alice@relay-denied.test": "cannot be known",
  "alice@banner-refusal.test": "cannot be known",
  "alice@ehlo-refusal.test": "cannot be known",
  "alice@sender-refusal.test": "cannot be known",
  // Known from a second source IP.
  "alice@one-ip.test": "exists",
  "alice@tarpit.test": "exists",
  "alice@slow-greeting.test": "exists",
  "alice@no-pipelining.test": "exists",
  "alice@helo-only.test": "exists",
  "alice@hang.test": "cannot be known",
  "alice@hang-at-rcpt.test": "cannot be known",
  "alice@garbage.test": "cannot be known",
  "alice@refused.test": "cannot be known",
  "alice@drop.test": "cannot be known",
  "alice@reset.test": "cannot be known",
  "alice@starttls.test": "exists",
  "alice@starttls-only.test": "exists",
  "alice@tls-broken.test": "cannot be known",
  "alice@backup.test": "exists",
  "alice@busy.test": "exists",
  "alice@many-mx.test": "exists",
  "alice@dual-stack.test": "exists",
  // The only MX host has no address, so every sender gets an error (RFC 5321 §5.1).
  "alice@mx-unresolvable.test": "missing",
  // Senders inside that network may reach the host.
  "alice@mx-private.test": "cannot be known",
  // RFC 5321 §5.1: without MX, mail goes to the address of the domain.
  "alice@implicit-mx.test": "exists",
  "josé@utf8.test": "exists",
  // The host has one mailbox, alice, and takes no address with other letters than ASCII.
  "josé@no-utf8.test": "missing",
  "alice.mailbox.test": "missing",
  // RFC 7505.
  "alice@null-mx.test": "missing",
  "alice@no-such-domain.test": "missing",
  "alice@no-mail-host.test": "missing",
  "alice@dangling.test": "missing",
  // DNS fails, perhaps for a minute.
  "alice@servfail.test": "cannot be known",
  "alice@cname-loop.test": "cannot be known",
  "alice@dns-timeout.test": "cannot be known",
  // The domain accepts every recipient.
  "someone@inbox.test": "cannot be known",
  "user1@d0042.test": "exists",
  "no-1@d0042.test": "missing",
}
