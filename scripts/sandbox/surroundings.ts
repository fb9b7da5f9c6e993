import type { Greylist } from "./greylist.ts"
import type { Inbox } from "./inbox.ts"
import type { Journal } from "./journal.ts"

/** What all mail hosts share. */
export interface SmtpSurroundings {
  readonly journal: Journal
  readonly inbox: Inbox
  readonly greylist: Greylist
  /** Wait before each reply, in ms. */
  readonly latencyMs: number
  /** Domains whose mail a host takes. */
  readonly domainsOf: (host: string) => ReadonlySet<string>
}
