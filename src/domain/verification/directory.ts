import type { SubStatus } from "../../../schema/vocabulary.ts"

/** Answer of a company's directory about an address. */
export type DirectoryAnswer =
  | { readonly kind: "user"; readonly isAlias: boolean; readonly state: "active" | "suspended" | "without_mailbox" }
  | { readonly kind: "group" }
  /** An external contact that receives the address's mail. */
  | { readonly kind: "contact" }
  /** One of these that receives mail, without saying which. */
  | { readonly kind: "entry" }
  /** The tenant owns the domain, and has no such user, group or contact. */
  | { readonly kind: "nobody" }
  /** The tenant does not own the domain. */
  | { readonly kind: "foreign" }
  | { readonly kind: "failure"; readonly reason: string }

export interface DirectoryVerdict {
  readonly status: "valid" | "invalid" | "unknown"
  readonly subStatus: SubStatus | null
  readonly exists: boolean | null
  readonly reason: string
}

const REASONS = {
  active: "the directory has this mailbox",
  group: "the directory has a group with this address",
  contact: "the directory has a contact with this address, which receives its mail",
  entry: "the directory has this address",
  suspended: "the account is suspended and receives no mail",
  without_mailbox: "the account exists, but has no mailbox with this address",
  nobody: "the directory has no user, group or contact that receives mail at this address",
  foreign: "the domain does not belong to this directory",
} as const

/** A directory's verdict. It may lack a list or catch-all, so it never overrules a server that accepts the address. */
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
    case "entry":
      return { status: "valid", subStatus: confirmed, exists: true, reason: REASONS[answer.kind] }
    case "nobody":
      return isAccepted
        ? { ...unknown, reason: `${REASONS.nobody}, but its mail server accepts it` }
        : { status: "invalid", subStatus: "mailbox_not_found", exists: false, reason: REASONS.nobody }
    case "foreign":
      return { ...unknown, reason: REASONS.foreign }
    case "failure":
      return { ...unknown, reason: answer.reason }
  }
}

/** Reduces an answer to whether the address receives mail. An account without a mailbox then equals a missing one. */
export function existenceOf(answer: DirectoryAnswer): DirectoryAnswer {
  switch (answer.kind) {
    case "user":
      return { kind: answer.state === "active" ? "entry" : "nobody" }
    case "group":
    case "contact":
      return { kind: "entry" }
    case "failure":
      return { kind: "failure", reason: "the directory has no clear answer" }
    default:
      return answer
  }
}
