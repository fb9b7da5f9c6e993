import type { Status } from "../../../schema/vocabulary.ts"

/** What a form does with an address. */
export const FORM_ACTIONS = ["ok", "fix", "warn", "block"] as const
export type FormAction = (typeof FORM_ACTIONS)[number]

/** Why. The first of these that applies decides. */
export const FORM_REASONS = [
  "invalid_syntax",
  "typo",
  "disposable",
  "no_mail_server", // the domain accepts no mail
  "no_mailbox",
  "role", // named after a function, so several people read it
  "accepted", // the mail server accepted the mailbox
  "no_answer", // a lookup was too slow or failed
  "unverified", // the domain accepts mail, and the mailbox is unknown
] as const
export type FormReason = (typeof FORM_REASONS)[number]

const ACTIONS: Readonly<Record<FormReason, FormAction>> = {
  invalid_syntax: "fix",
  typo: "fix",
  disposable: "block",
  no_mail_server: "block",
  no_mailbox: "block",
  role: "warn",
  accepted: "ok",
  no_answer: "ok",
  unverified: "ok",
}

/** What is known about an address within the time of a form. */
export interface FormEvidence {
  readonly syntaxValid: boolean
  /** The address that was probably meant. */
  readonly suggestion: string | null
  readonly isDisposable: boolean
  readonly isRole: boolean
  /** Null when DNS gave no answer in time. */
  readonly takesMail: boolean | null
  /** The fresh verdict. Null without one. */
  readonly status: Status | null
}

export interface FormDecision {
  readonly action: FormAction
  readonly reason: FormReason
  readonly suggestion: string | null
}

/** Decides what a form does with an address. A missing answer never blocks: only known facts do. */
export function decideForForm(evidence: FormEvidence): FormDecision {
  const reason = reasonOf(evidence)
  return { action: ACTIONS[reason], reason, suggestion: evidence.suggestion }
}

/** Whether the live verdict could change the decision. */
export function needsMailServer({ status, takesMail }: FormEvidence, { action }: FormDecision): boolean {
  return status === null && takesMail !== false && (action === "ok" || action === "warn")
}

function reasonOf({ syntaxValid, suggestion, isDisposable, isRole, takesMail, status }: FormEvidence): FormReason {
  if (!syntaxValid) return "invalid_syntax"
  if (suggestion !== null) return "typo"
  if (isDisposable) return "disposable"
  if (takesMail === false) return "no_mail_server"
  if (status === "invalid") return "no_mailbox"
  if (isRole) return "role"
  if (status === "valid") return "accepted"
  return takesMail === null ? "no_answer" : "unverified"
}

/** The decision when nothing was found out in time. */
export const NO_ANSWER: FormDecision = { action: "ok", reason: "no_answer", suggestion: null }
