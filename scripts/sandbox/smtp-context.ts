import type { Greylist } from "./greylist.ts"
import type { Inbox } from "./inbox.ts"
import type { Journal } from "./journal.ts"

/** The parts that all mail hosts share. */
export interface SmtpContext {
  readonly journal: Journal
  readonly inbox: Inbox
  readonly greylist: Greylist
  /** Delay before each reply, in ms. */
  readonly latencyMs: number
  /** The domains whose mail a host accepts. */
  readonly domainsOf: (host: string) => ReadonlySet<string>
}
