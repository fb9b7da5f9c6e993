import { readTags } from "./tag-list.ts"

const POLICIES = ["none", "quarantine", "reject"] as const
type DmarcPolicy = (typeof POLICIES)[number]

export type Dmarc =
  | { readonly kind: "none" }
  | { readonly kind: "invalid"; readonly problem: "several_records" | "syntax" | "no_policy" }
  | {
      readonly kind: "record"
      /** Where the record stands: the domain itself, or one above it. */
      readonly foundAt: string
      /** What holds for the domain asked about: `sp` of a record above it; one step milder while it is tried out (`t=y`). */
      readonly policy: DmarcPolicy
      readonly hasReports: boolean
    }

/** A name, without `_dmarc`, and the one record that stands there. */
export interface DmarcPlace {
  readonly name: string
  readonly record: string
}

/** A longer name is cut to so many labels after its own record was asked for (RFC 9989 §4.10). */
const MAX_LABELS_ABOVE = 7

/** The names whose `_dmarc` may hold a domain's policy, in the order of the tree walk: itself, then the names above it. */
export function dmarcNames(domain: string): string[] {
  const labels = domain.split(".")
  const above = labels.slice(Math.max(1, labels.length - MAX_LABELS_ABOVE))
  return [domain, ...above.map((_, at) => above.slice(at).join("."))]
}

/** Those of the texts at a `_dmarc` name that are DMARC records. */
export function dmarcRecords(texts: readonly string[]): string[] {
  return texts.filter((text) => /^[vV]\s*=\s*DMARC1\s*(;|$)/.test(text))
}

/** A record that says whether its name is a public suffix (`psd`) ends the walk. */
export function endsWalk({ record }: DmarcPlace): boolean {
  return /^[yn]$/.test(psdOf(record))
}

/**
 * Of the names above a domain that hold a record, in the order of the walk, the one whose policy holds (§4.10.2): the
 * last; below a public suffix the organisation's, which is one label longer, where it has one.
 */
export function policyPlace(found: readonly DmarcPlace[]): DmarcPlace | undefined {
  const last = found.at(-1)
  const before = found.at(-2)
  if (!last || !before || psdOf(last.record) !== "y") return last
  return before.name.split(".").length === last.name.split(".").length + 1 ? before : last
}

/**
 * Reads the TXT records of a `_dmarc` name (RFC 9989 §4.7, §4.10.1).
 * @param isSubdomain the record stands above the domain it is asked about
 */
export function readDmarc(
  texts: readonly string[],
  { foundAt, isSubdomain }: { foundAt: string; isSubdomain: boolean },
): Dmarc {
  const records = dmarcRecords(texts)
  if (records.length === 0) return { kind: "none" }
  if (records.length > 1) return { kind: "invalid", problem: "several_records" }
  const tags = readTags(records[0]!, { skipsErrors: true })
  if (!tags) return { kind: "invalid", problem: "syntax" }
  const hasReports = /mailto:/i.test(tags.get("rua") ?? "")
  const published = publishedPolicy(tags, isSubdomain)
  // A record that only asks for reports counts as p=none.
  if (!published && !hasReports) return { kind: "invalid", problem: "no_policy" }
  const policy = tags.get("t")?.toLowerCase() === "y" ? milder(published) : published
  return { kind: "record", foundAt, policy: policy ?? "none", hasReports }
}

function psdOf(record: string): string {
  return readTags(record, { skipsErrors: true })?.get("psd")?.toLowerCase() ?? ""
}

/** Undefined when any of the policies in a record is none we know: then none of them holds. */
function publishedPolicy(tags: ReadonlyMap<string, string>, isSubdomain: boolean): DmarcPolicy | undefined {
  const p = policyOf(tags.get("p"))
  const sp = policyOf(tags.get("sp") ?? p)
  const np = policyOf(tags.get("np") ?? p)
  if (!p || !sp || !np) return undefined
  return isSubdomain ? sp : p
}

function milder(policy: DmarcPolicy | undefined): DmarcPolicy {
  return policy === "reject" ? "quarantine" : "none"
}

function policyOf(text: string | undefined): DmarcPolicy | undefined {
  return POLICIES.find((policy) => policy === text?.toLowerCase())
}
