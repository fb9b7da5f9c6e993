import { readdirSync, readFileSync, readlinkSync } from "node:fs"

export interface Listener {
  readonly host: string
  readonly port: number
}

const LISTEN = "0A"

/** TCP listeners of a process over IPv4, from Linux's tables. 0.0.0.0 is returned as 127.0.0.1. */
export function listenersOf(pid: number): Listener[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap(
      (fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1] ?? [],
    ),
  )
  const rows = readFileSync(`/proc/${pid}/net/tcp`, "utf8").trim().split("\n").slice(1)
  return rows.flatMap((row) => {
    const [, local = "", , state, , , , , , inode = ""] = row.trim().split(/\s+/)
    if (state !== LISTEN || !sockets.has(inode)) return []
    const [address = "", port = ""] = local.split(":")
    const bytes = address.match(/../g)!.reverse()
    const host = bytes.map((byte) => Number.parseInt(byte, 16)).join(".")
    return [{ host: host === "0.0.0.0" ? "127.0.0.1" : host, port: Number.parseInt(port, 16) }]
  })
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return "" // closed meanwhile
  }
}
