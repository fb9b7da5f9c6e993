import type { Server } from "node:net"
import { MAIL_HOSTS, type MailHost } from "./hosts.ts"
import { createLibraryHost } from "./library-host.ts"
import { Listening } from "./listening.ts"
import { createScriptHost } from "./script-host.ts"
import type { SmtpSurroundings } from "./surroundings.ts"

export interface SmtpHosts {
  readonly port: number
  stop(): Promise<void>
}

const ATTEMPTS = 8

/**
 * Starts every mail host on its own loopback address, all on one port; 0 picks a port that is free on each of them.
 * @throws Error when the port is taken, or where 127.42.0.N are not addresses of this machine
 */
export async function startSmtpHosts(port: number, surroundings: SmtpSurroundings): Promise<SmtpHosts> {
  const hosts = MAIL_HOSTS.filter(({ runs }) => runs.kind !== "nothing")
  for (let attempt = 1; ; attempt++) {
    const running = hosts.map((host) => ({
      address: host.address,
      server: new Listening(serverOf(host, surroundings)),
    }))
    try {
      const [first, ...others] = running
      const common = await first!.server.listen(port, first!.address)
      await Promise.all(others.map(({ server, address }) => server.listen(common, address)))
      return { port: common, stop: () => stopAll(running) }
    } catch (error) {
      await stopAll(running)
      const { code } = error as NodeJS.ErrnoException
      if (code === "EADDRINUSE" && port === 0 && attempt < ATTEMPTS) continue
      throw code === "EADDRNOTAVAIL" ? noSuchAddress(error) : error
    }
  }
}

function serverOf({ name, runs }: MailHost, surroundings: SmtpSurroundings): Server {
  return runs.kind === "library"
    ? createLibraryHost({ name, role: runs.role }, surroundings)
    : createScriptHost({ name, script: runs.kind === "script" ? runs.script : {} }, surroundings)
}

async function stopAll(running: readonly { readonly server: Listening }[]): Promise<void> {
  await Promise.all(running.map(({ server }) => server.stop()))
}

function noSuchAddress(cause: unknown): Error {
  return new Error(
    "The sandbox gives each mail host an address of its own in 127.42.0.0/16. Linux has them all without setup; " +
      "this system does not. Add them to the loopback interface (macOS: `sudo ifconfig lo0 alias 127.42.0.10`, for " +
      "each of 10 to 43 and 200 to 219) or start with SANDBOX=0.",
    { cause },
  )
}
