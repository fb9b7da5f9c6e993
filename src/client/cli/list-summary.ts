import type { DownloadOptions, ListProgress } from "../resources/lists.ts"
import { type Cli, printFacts } from "./cli.ts"
import type { Cell } from "./table.ts"
import { grouped, inWords } from "./words.ts"

export interface PollOption {
  /** Seconds between requests. */
  readonly poll: number
}

export interface FileOptions extends DownloadOptions {
  /** Path of the result file. */
  readonly out?: string
}

const STATES: Readonly<Record<ListProgress["status"], Cell>> = {
  queued: ["queued", "grey"],
  running: ["running", "yellow"],
  complete: ["complete", "green"],
  failed: ["failed", "red"],
}

export const stateOf = ({ status, cancelled_at }: ListProgress): Cell =>
  cancelled_at ? ["canceled", "grey"] : STATES[status]

/** Prints how a list ended: counts by result, its cost, and where the results are. @param file the written file */
export function printSummary(cli: Pick<Cli, "terminal" | "isJson">, list: ListProgress, file?: string): void {
  const counts = Object.entries(list.summary).map(([status, count]) => [inWords(status), grouped(count)] as const)
  printFacts(cli, file === undefined ? list : { ...list, file }, [
    ["list", list.job_id],
    ["state", stateOf(list)],
    ["addresses", grouped(list.total)],
    ...counts.map(([status, count]) => [`  ${status}`, count] as const),
    ["can send", [grouped(list.sendable), "green"]],
    ["credits used", grouped(list.credits_used)],
    ["results", file ?? `mailverdict lists download ${list.job_id} --out results.csv`],
  ])
}
