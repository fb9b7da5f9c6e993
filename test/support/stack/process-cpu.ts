import { readdirSync, readFileSync } from "node:fs"

/** CPU that all threads of a process have used so far, in ms, as exactly as Linux knows it. */
export function exactCpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => sum + nanosecondsOf(`/proc/${pid}/task/${thread}/schedstat`), 0) / 1e6
}

function nanosecondsOf(file: string): number {
  try {
    return Number(readFileSync(file, "utf8").split(" ")[0])
  } catch {
    return 0 // The thread ended after the folder was read.
  }
}
