import { readdirSync, readFileSync } from "node:fs"

/** The newest workerd that this process has started. */
export function workerdPid(): number {
  const found = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => isOurs(pid, "workerd"))
  if (found.length === 0) throw new Error("no workerd runs under this process")
  return Math.max(...found)
}

function isOurs(pid: number, name: string): boolean {
  try {
    const [, command, state, parent] = /^\d+ \((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
    return command === name && state !== "Z" && Number(parent) === process.pid
  } catch {
    return false // ended since the folder was read
  }
}

/** Memory of a process that is in RAM, in bytes. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1_024
}
