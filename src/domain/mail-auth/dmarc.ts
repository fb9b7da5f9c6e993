import { readTags } from "./tag-list.ts"

const POLICIES = ["none", "quarantine", "reject"] as const
export type DmarcPolicy = (typeof POLICIES)[number]

export type Dmarc =
  | { readonly kind: "none" }
  | { readonly kind: "invalid"; readonly problem: "several_records" | "syntax" | "no_policy" }
  | {
      readonly kind: "record"
      /** Where the record stands: the domain itself, or its organisational domain. */
      readonly foundAt: string
      /** What holds for the domain asked about: `sp` of an organisational record for a subdomain (RFC 7489 §6.6.3). */
      readonly policy: DmarcPolicy
      readonly hasReports: boolean
    }

/** A record that is none of ours to read: the name holds no DMARC at all, so the organisational domain is looked at. */
export function hasDmarcRecord(texts: readonly string[]): boolean {
  return texts.some(isDmarc)
}

/**
 * Reads the TXT records of a `_dmarc` name (RFC 7489 §6.3, §6.6.3).
 * @param isSubdomain the record stands at the organisational domain and is asked about one below it
 */
export function readDmarc(
  texts: readonly string[],
  { foundAt, isSubdomain }: { foundAt: string; isSubdomain: boolean },
): Dmarc {
  const records = texts.filter(isDmarc)
  if (records.length === 0) return { kind: "none" }
  if (records.length > 1) return { kind: "invalid", problem: "several_records" }
  const tags = readTags(records[0]!)
  if (!tags) return { kind: "invalid", problem: "syntax" }
  const hasReports = /mailto:/i.test(tags.get("rua") ?? "")
  const policy = policyOf(isSubdomain ? (tags.get("sp") ?? tags.get("p")) : tags.get("p"))
  // A record that only asks for reports counts as p=none (§6.6.3, 6).
  if (!policy && !hasReports) return { kind: "invalid", problem: "no_policy" }
  return { kind: "record", foundAt, policy: policy ?? "none", hasReports }
}

function isDmarc(text: string): boolean {
  return /^v\s*=\s*DMARC1\s*(;|$)/.test(text)
}

function policyOf(text: string | undefined): DmarcPolicy | undefined {
  return POLICIES.find((policy) => policy === text?.toLowerCase())
}
