const MODES = ["enforce", "testing", "none"] as const
type MtaStsMode = (typeof MODES)[number]

export interface MtaStsPolicy {
  readonly mode: MtaStsMode
  /** Host patterns; `*.` stands for exactly one label. */
  readonly mx: readonly string[]
}

export type MtaSts =
  | { readonly kind: "none" }
  | { readonly kind: "invalid"; readonly problem: "several_records" | "record" | "policy" | "no_policy" }
  | { readonly kind: "policy"; readonly id: string; readonly mode: MtaStsMode; readonly coversMx: boolean | null }

export type MtaStsRecord = Exclude<MtaSts, { kind: "policy" }> | { readonly kind: "record"; readonly id: string }

const MAX_AGE_LIMIT = 31_557_600

/** Reads the TXT records of `_mta-sts.<domain>` (RFC 8461 §3.1). */
export function readMtaStsRecord(texts: readonly string[]): MtaStsRecord {
  const records = texts.filter((text) => /^v=STSv1\s*(;|$)/.test(text))
  if (records.length === 0) return { kind: "none" }
  if (records.length > 1) return { kind: "invalid", problem: "several_records" }
  const id = /;\s*id=([A-Za-z0-9]{1,32})\s*(;|$)/.exec(records[0]!)?.[1]
  return id ? { kind: "record", id } : { kind: "invalid", problem: "record" }
}

/** Reads a policy file (RFC 8461 §3.2) of key/value lines. Only `mx` may repeat. Null for an invalid file. */
export function readMtaStsPolicy(text: string): MtaStsPolicy | null {
  const lines = text.split("\n").map((line) => line.split(":"))
  const pairs = lines.map(([key = "", ...value]) => ({ key: key.trim(), value: value.join(":").trim() }))
  const first = (key: string) => pairs.find((pair) => pair.key === key)?.value
  const mode = MODES.find((known) => known === first("mode"))
  const maxAge = first("max_age") ?? ""
  const mx = pairs.flatMap(({ key, value }) => (key === "mx" ? [value.toLowerCase()] : []))
  if (first("version") !== "STSv1" || !mode || !/^\d{1,10}$/.test(maxAge)) return null
  if (Number(maxAge) > MAX_AGE_LIMIT || (mode !== "none" && mx.length === 0)) return null
  return { mode, mx }
}

/** Whether the policy names every MX host. A wildcard stands for the leftmost label only (RFC 8461 §4.1). */
export function policyCovers({ mx }: MtaStsPolicy, hosts: readonly string[]): boolean {
  return hosts.every((host) =>
    mx.some((pattern) =>
      pattern.startsWith("*.") ? host.slice(host.indexOf(".") + 1) === pattern.slice(2) : host === pattern,
    ),
  )
}
