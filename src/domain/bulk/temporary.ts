import type { Verdict } from "../verdict/judge.ts"

/** Trouble that passes: asking again later may settle what is unknown now. */
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
