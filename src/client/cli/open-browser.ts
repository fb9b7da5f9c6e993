import { spawn } from "node:child_process"
import type { Terminal } from "./terminal.ts"

const OPENERS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", '""'],
  linux: ["xdg-open"],
}

/** Opens a page in the browser of a person's desktop. @returns false without a desktop */
export function openBrowser({ env }: Pick<Terminal, "env">, url: string): boolean {
  const opener = OPENERS[process.platform]
  const hasDesktop = process.platform !== "linux" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
  if (!opener || !hasDesktop) return false
  const [command, ...args] = opener
  const child = spawn(command, [...args, url], { detached: true, stdio: "ignore" })
  // The page's URL is printed as well, so a missing program does no harm.
  child.on("error", () => undefined).unref()
  return true
}
