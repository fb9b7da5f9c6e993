import type { RecipientOutcome, SessionReport } from "../../../schema/wire/probe.ts"
import type { NodeLine } from "../../../src/adapters/fleet/dispatch.ts"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { classifyOutcome } from "../../../src/domain/smtp-reply/classify-reply.ts"
import {
  type DomainFacts,
  type Evidence,
  type MailboxEvidence,
  noEvidence,
} from "../../../src/domain/verification/evidence.ts"
import { assess, type Verification } from "../../../src/domain/verification/verification.ts"

export const NOW = 1_700_000_000_000

export const rcpt = (code: number, text: string): RecipientOutcome => ({
  kind: "reply",
  stage: "rcpt",
  reply: { code, enhanced: null, text, ms: 3 },
})

const SESSION: SessionReport = {
  mxHost: "mx.example.org",
  address: "192.0.2.1",
  sourceIp: "192.0.2.2",
  heloName: "probe.example.net",
  envelopeSender: "probe@example.net",
  greeting: { code: 220, enhanced: null, text: "mx.example.org ESMTP", ms: 1 },
  ehlo: { code: 250, enhanced: null, text: "mx.example.org\nPIPELINING", ms: 1 },
  extensions: ["PIPELINING"],
  tls: null,
  mail: { code: 250, enhanced: null, text: "Ok", ms: 1 },
  connectMs: 1,
}

/** A node's report about a recipient and, if it was probed, a random one. */
export function mailbox(outcome: RecipientOutcome, control: RecipientOutcome | null = null): MailboxEvidence {
  return { nodeId: "n-1", region: "eu", askedAt: NOW, outcome, control, session: SESSION, attempts: [], totalMs: 9 }
}

/** The same report as it arrives from the fleet. */
export function nodeLine(report: MailboxEvidence, line: Partial<NodeLine> = {}): NodeLine {
  const classified = classifyOutcome(report.outcome, report.session)
  const flags = { isPrivate: false, isSuspect: false }
  return { ...report, type: "recipient", index: 0, attempts: [], classified, ...flags, ...line }
}

export function domainFacts(facts: Partial<DomainFacts> = {}): DomainFacts {
  return {
    domain: "example.org",
    route: { kind: "mx", hosts: [{ host: "mx.example.org", preference: 10 }] },
    checkedAt: { route: NOW },
    ...facts,
  }
}

/** The verification of an address from the given evidence, assessed a minute after NOW. */
export function verificationOf(email: string, evidence: Partial<Evidence> = {}): Verification {
  return assess({ ...noEvidence(parseAddress(email)), ...evidence }, { cached: false, verifiedAt: NOW + 60_000 })
}
