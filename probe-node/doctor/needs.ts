import type { EngineNeeds } from "../chunk-run.ts"
import type { NodeSettings } from "../config.ts"
import type { RblLookups } from "../rbl.ts"
import type { DoctorDns } from "./dns.ts"

/** What an examination works with. */
export interface DoctorNeeds {
  readonly settings: NodeSettings
  readonly engine: Pick<EngineNeeds, "dialPort" | "sources">
  readonly dns: DoctorDns
  readonly rbl: RblLookups
  /** Public addresses on this machine's own network interfaces. */
  readonly machineIps: readonly string[]
  /** Unix ms. */
  readonly now: () => number
  /** The node is stopping. */
  readonly signal: AbortSignal
}
