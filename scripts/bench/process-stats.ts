import { readdirSync, readFileSync } from "node:fs"

export interface ProcessStats {
  readonly rssMb: number
  /** Open files, sockets and pipes. */
  readonly handles: number
}

export function statsOf(pid: number): ProcessStats {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const kilobytes = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0)
  return { rssMb: kilobytes / 1_024, handles: readdirSync(`/proc/${pid}/fd`).length }
}

/** The workerd that a process has started. */
export function workerdOf(parent: number): number {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))
  const found = pids.map(Number).filter((pid) => isChild(pid, parent))
  if (found.length === 0) throw new Error("no workerd runs under this process")
  return Math.max(...found)
}

function isChild(pid: number, parent: number): boolean {
  try {
    const [, name, ppid] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
    return name === "workerd" && Number(ppid) === parent
  } catch {
    return false // ended since the folder was read
  }
}
