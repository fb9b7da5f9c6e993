import { chmod } from "node:fs/promises"
import { type Listener, makeHome, ownLoopback, type RunningServer, startInRoot } from "./mta-root.ts"

/** Postgrey, Debian's greylisting policy service for Postfix. */
export async function startPostgrey(delaySeconds: number): Promise<RunningServer & { at: Listener }> {
  const home = await makeHome("postgrey")
  await chmod(home.path, 0o777)
  const at = { address: ownLoopback(), port: 10_023 }
  const server = await startInRoot({
    command: "/usr/sbin/postgrey",
    args: [
      `--inet=${at.address}:${at.port}`,
      `--dbdir=${home.inside}`,
      `--delay=${delaySeconds}`,
      "--auto-whitelist-clients=0",
    ],
    home,
    listeners: [at],
  })
  return { ...server, at }
}
