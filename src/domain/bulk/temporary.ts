import type { Verdict } from "../verdict/judge.ts"

/** Temporary findings: a later probe may settle them. */
const TEMPORARY: ReadonlySet<Verdict["finding"]> = new Set([
  "greylisted",
  "temporary_failure",
  "throttled",
  "no_probe_node",
  "dns_failure",
  "unreachable",
])

export function isTemporary({ finding }: Verdict): boolean {
  return TEMPORARY.has(finding)
}
