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
