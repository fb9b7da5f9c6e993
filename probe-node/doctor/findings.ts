import type { DOCTOR_RESULTS, DoctorCheck } from "../../schema/vocabulary.ts"
import type { DoctorFinding } from "../../schema/wire/health.ts"
import type { NodeSettings } from "../config.ts"
import type { EngineDeps } from "../probe.ts"
import type { RblLookups } from "../rbl.ts"
import type { DoctorDns } from "./dns.ts"

/** Dependencies of a doctor run. */
export interface DoctorDeps {
  readonly settings: NodeSettings
  readonly engine: Pick<EngineDeps, "dialPort" | "sources">
  readonly dns: DoctorDns
  readonly rbl: RblLookups
  /** Public addresses on this machine's own network interfaces. */
  readonly machineIps: readonly string[]
  /** Unix ms. */
  readonly now: () => number
  /** Aborted when the node stops. */
  readonly signal: AbortSignal
}

const MAX_DETAIL = 500

/** Findings of one check. A detail states the result and, for a problem, the solution. */
export class Findings {
  readonly all: DoctorFinding[] = []
  readonly #check: DoctorCheck

  constructor(check: DoctorCheck) {
    this.#check = check
  }

  add(result: (typeof DOCTOR_RESULTS)[number], subject: string | null, detail: string): this {
    const text = detail.length <= MAX_DETAIL ? detail : `${detail.slice(0, MAX_DETAIL - 1).toWellFormed()}…`
    this.all.push({ check: this.#check, subject: subject?.slice(0, 253) ?? null, result, detail: text })
    return this
  }
}

/** "one", "one and two", "one, two and 3 more". */
export function listed(words: readonly string[], most = 4): string {
  const shown = words.slice(0, most)
  const last = words.length > most ? `${words.length - most} more` : shown.pop()
  return shown.length === 0 ? (last ?? "none") : `${shown.join(", ")} and ${last}`
}
