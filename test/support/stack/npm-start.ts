import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { expect } from "vitest"

/** Live processes of a process group: everything that `npm start` has started. */
export function alive(group: number): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const [state, , pgrp] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")
      return state !== "Z" && Number(pgrp) === group
    } catch {
      return false
    }
  })
}

/** Sends a signal to a process group, as a terminal does. */
export const send = (signal: "SIGINT" | "SIGTERM") => (group: number) => void process.kill(-group, signal)

/** Runs `npm start` until it ends. @param act called once, when the output first matches `trigger`, and awaited */
export async function runToEnd(
  settings: Readonly<Record<string, string>> & { readonly DATA_DIR: string },
  act?: (group: number) => unknown,
  trigger = /"message":"(building|starting)/,
) {
  const child = spawn("npm", ["start"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  })
  const output = { out: "", err: "" }
  child.stderr.on("data", (chunk) => {
    output.err += String(chunk)
  })
  // Once: a second signal would reach npm itself while it exits.
  let due = act
  let acting: unknown
  child.stdout.on("data", (chunk) => {
    output.out += String(chunk)
    if (!due || !trigger.test(output.out)) return
    acting = due(child.pid!)
    due = undefined
  })
  const [code] = await once(child, "close")
  await acting
  await expect.poll(() => alive(child.pid!)).toEqual([])
  return { code, ...output }
}
