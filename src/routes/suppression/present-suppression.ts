import { z } from "@hono/zod-openapi"
import { SUPPRESSION_REASONS } from "../../../schema/vocabulary.ts"
import type { ListEntry } from "../../adapters/store/suppression/suppression.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import {
  type Change,
  domainOfName,
  type Suppressed,
  type Suppression,
  shouldNeverSend,
} from "../../domain/suppression/suppression.ts"
import { iso } from "../../domain/time.ts"
import { component, repaired } from "../../http/fields.ts"
import type { FoundSuppression, Unsuppressed } from "../../services/suppression/suppression-list.ts"

const time = () => z.iso.datetime().nullable()
const domain = (description: string) => z.string().nullable().openapi({ description, example: null })

const note = () =>
  z.string().nullable().openapi({
    description: "What an import says about the reason: a mail server's reply, or words without a known meaning",
    example: null,
  })

const entry = {
  domain: domain("The domain, when the entry suppresses every address of it, without subdomains; else null"),
  reason: z.enum(SUPPRESSION_REASONS),
  source: z.string().nullable(),
  note: note(),
  suppressed_at: z.iso.datetime(),
  expires_at: time().openapi({ description: "Null when permanent" }),
}
const list = z.enum(["account", "operator"]).openapi({ description: "The owner of the list" })

/** An entry of the caller's list. */
export const Entry = z.object({
  email: z.string().nullable().openapi({ description: "Null for a domain, and for an address that was erased" }),
  ...entry,
})
/** An entry that suppresses an address, of the caller's list or the operator's. */
const Applying = z.object({ list, ...entry })
const applying = () => z.array(Applying)

export const SuppressionEntry = component("SuppressionEntry", {
  email: z.string(),
  repaired: repaired(),
  is_suppressed: z.boolean(),
  reason: z.enum(SUPPRESSION_REASONS).nullable(),
  should_never_send: z.boolean().openapi({ description: "Also false for a soft bounce, which is temporary" }),
  suppressed_at: time(),
  expires_at: time().openapi({ description: "Null when permanent" }),
  source: z.string().nullable(),
  note: note(),
  list: z.enum(["account", "operator"]).nullable().openapi({ description: "The list that contains the address" }),
  domain: domain("The domain whose entry suppresses the address; null when the entry is the address's own"),
  entries: applying().openapi({
    description:
      "Every entry that suppresses the address: the operator's first, that of the address before that of its domain. The fields above describe the first one",
  }),
})

export function presentFound(
  address: ValidAddress,
  found: readonly FoundSuppression[],
): z.infer<typeof SuppressionEntry> {
  const [first] = found
  return {
    email: address.normalized,
    repaired: [...address.repaired],
    is_suppressed: first !== undefined,
    reason: first?.suppression.reason ?? null,
    should_never_send: found.some(({ suppression }) => shouldNeverSend(suppression)),
    suppressed_at: iso(first?.suppression.createdAt),
    expires_at: iso(first?.suppression.expiresAt),
    source: first?.suppression.source ?? null,
    note: first?.suppression.note ?? null,
    list: first?.list ?? null,
    domain: first?.domain ?? null,
    entries: found.map(presentApplying),
  }
}

function presentApplying({ suppression, list, domain }: FoundSuppression): z.infer<typeof Applying> {
  return { list, domain, ...presentTimes(suppression) }
}

function presentTimes({ reason, source, note, createdAt, expiresAt }: Suppression) {
  return { reason, source, note, suppressed_at: iso(createdAt), expires_at: iso(expiresAt) }
}

export function presentListed({ address: name, ...suppression }: ListEntry): z.infer<typeof Entry> {
  const domain = domainOfName(name)
  return { email: domain === null ? name : null, domain, ...presentTimes(suppression) }
}

function presentEntry(one: Suppressed, suppression: Suppression): z.infer<typeof Entry> {
  const email = "address" in one ? one.address.normalized : null
  return { email, domain: "address" in one ? null : one.wholeDomain, ...presentTimes(suppression) }
}

const done = { message: z.string(), repaired: repaired() }

export const Added = component("SuppressionAdded", {
  status: z.string().openapi({ example: "added" }),
  ...done,
  change: z
    .enum(["added", "updated", "unchanged"])
    .openapi({ description: "What the call did: a new entry, a stronger one, or nothing" }),
  kept: z.array(z.enum(["graver_reason", "longer_time"])).openapi({
    description: "What of the earlier entry stays, because it is stronger than this call; empty when nothing",
    example: [],
  }),
  entry: Entry.openapi({ description: "The entry that is active on the list after the call" }),
})

export function presentAdded(one: Suppressed, { change, kept, entry }: Change): z.infer<typeof Added> {
  const stays = kept.map((what) => (what === "graver_reason" ? `the graver reason ${entry.reason}` : "the later end"))
  const until = entry.expiresAt === null ? "permanently" : `until ${iso(entry.expiresAt)}`
  const message = `${subjectOf(one)} is on your suppression list, ${until}`
  return {
    status: "added",
    message: stays.length > 0 ? `${message}; the earlier entry keeps ${stays.join(" and ")}` : message,
    repaired: repairsOf(one),
    change,
    kept: [...kept],
    entry: presentEntry(one, entry),
  }
}

export const Removed = component("SuppressionRemoved", {
  status: z.string().openapi({ example: "removed" }),
  ...done,
  removed: Entry.nullable().openapi({ description: "The removed entry; null when only reports were withdrawn" }),
  reports_withdrawn: z.boolean().openapi({
    description: "Whether the account's reports of a hard bounce or a complaint were withdrawn",
  }),
  still_suppressed: z.boolean().openapi({ description: "Whether another entry still suppresses the address" }),
  entries: applying().openapi({
    description: "The entries that still suppress the address: those of its domain and of the operator",
  }),
})

export function presentRemoved(
  one: Suppressed,
  { removed, hasWithdrawnReports, remaining }: Unsuppressed,
): z.infer<typeof Removed> {
  const message = `${subjectOf(one)} is no longer on your suppression list`
  const [still] = remaining
  const by = still?.domain == null ? "an entry of the operator" : `the entry for the domain ${still.domain}`
  return {
    status: "removed",
    message: still ? `${message}; ${by} still suppresses it` : message,
    repaired: repairsOf(one),
    removed: removed && presentEntry(one, removed),
    reports_withdrawn: hasWithdrawnReports,
    still_suppressed: still !== undefined,
    entries: remaining.map(presentApplying),
  }
}

function subjectOf(one: Suppressed): string {
  return "address" in one ? one.address.normalized : `every address at ${one.wholeDomain}`
}

function repairsOf(one: Suppressed) {
  return "address" in one ? [...one.address.repaired] : []
}
