import { readdirSync, readFileSync } from "node:fs"

/** `handles`: open files, sockets and pipes. */
export function statsOf(pid: number) {
  return { rssMb: residentBytes(pid) / 2 ** 20, handles: readdirSync(`/proc/${pid}/fd`).length }
}

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1_024
}

/** CPU time of all threads of a process so far, in ms. Linux counts in ticks of 10 ms. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])]
  return (userTicks + systemTicks) * 10
}

/** The latest workerd that a process has started. @throws Error when there is none */
export function workerdOf(parent: number): number {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))
  const found = pids.map(Number).filter((pid) => isChild(pid, parent))
  if (found.length === 0) throw new Error("no workerd runs under this process")
  return Math.max(...found)
}

function isChild(pid: number, parent: number): boolean {
  try {
    const [, name, state, ppid] = /^\d+ \((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
    return name === "workerd" && state !== "Z" && Number(ppid) === parent
  } catch {
    return false // the process has ended meanwhile
  }
}
