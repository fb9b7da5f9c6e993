import type { SubStatus } from "../../../schema/vocabulary.ts"

/** What a company's own directory says about an address. */
export type DirectoryAnswer =
  | { readonly kind: "user"; readonly isAlias: boolean; readonly state: "active" | "suspended" | "without_mailbox" }
  | { readonly kind: "group" }
  /** Somebody elsewhere, to whom what comes to the address goes on. */
  | { readonly kind: "contact" }
  /** None of these, in a tenant that is known to own the domain. */
  | { readonly kind: "nobody" }
  /** The directory does not answer for this domain. */
  | { readonly kind: "foreign" }
  | { readonly kind: "failure"; readonly reason: string }

export interface DirectoryVerdict {
  readonly status: "valid" | "invalid" | "unknown"
  readonly subStatus: SubStatus | null
  readonly exists: boolean | null
  readonly reason: string
}

const REASONS = {
  active: "the directory knows the mailbox",
  group: "the directory knows a group of this address",
  contact: "the directory knows a contact of this address, to whom mail goes on",
  suspended: "the account is suspended and takes no mail",
  without_mailbox: "the account exists, but the directory names no mailbox of this address",
  nobody: "the directory knows nobody and no group of this address",
  foreign: "this directory does not answer for the domain",
} as const

/**
 * What a directory's answer is worth. Nobody is no proof against a mail server that takes the address: directories show
 * neither a catch-all nor, at Microsoft, dynamic distribution lists and public folders.
 * @param isAccepted by the mail server, as SMTP showed it; null when not known
 */
export function judgeDirectory(
  answer: DirectoryAnswer,
  { confirmed, isAccepted }: { confirmed: SubStatus; isAccepted: boolean | null },
): DirectoryVerdict {
  const unknown = { status: "unknown", subStatus: null, exists: null } as const
  switch (answer.kind) {
    case "user":
      if (answer.state === "without_mailbox") return { ...unknown, reason: REASONS.without_mailbox }
      return answer.state === "active"
        ? { status: "valid", subStatus: confirmed, exists: true, reason: REASONS.active }
        : { status: "invalid", subStatus: "mailbox_not_found", exists: true, reason: REASONS.suspended }
    case "group":
    case "contact":
      return { status: "valid", subStatus: confirmed, exists: true, reason: REASONS[answer.kind] }
    case "nobody":
      return isAccepted
        ? { ...unknown, reason: `${REASONS.nobody}, but its mail server takes mail for it` }
        : { status: "invalid", subStatus: "mailbox_not_found", exists: false, reason: REASONS.nobody }
    case "foreign":
      return { ...unknown, reason: REASONS.foreign }
    case "failure":
      return { ...unknown, reason: answer.reason }
  }
}
