import type { Server } from "node:net"
import { MAIL_HOSTS, type MailHost } from "./hosts.ts"
import { createLibraryHost } from "./library-host.ts"
import { createScriptHost } from "./script-host.ts"
import type { SmtpContext } from "./smtp-context.ts"
import { StoppableServer } from "./stoppable-server.ts"

export interface SmtpHosts {
  readonly port: number
  stop(): Promise<void>
}

const ATTEMPTS = 8

/**
 * Starts every mail host on its own loopback address, all on one port; 0 picks a port that is free on all of them.
 * @throws Error when the port is taken, or when this machine does not have the addresses 127.42.0.N
 */
export async function startSmtpHosts(port: number, context: SmtpContext): Promise<SmtpHosts> {
  const hosts = MAIL_HOSTS.filter(({ runs }) => runs.kind !== "nothing")
  for (let attempt = 1; ; attempt++) {
    const running = hosts.map((host) => ({
      address: host.address,
      server: new StoppableServer(serverOf(host, context)),
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

function serverOf({ name, runs }: MailHost, context: SmtpContext): Server {
  return runs.kind === "library"
    ? createLibraryHost({ name, role: runs.role }, context)
    : createScriptHost({ name, script: runs.kind === "script" ? runs.script : {} }, context)
}

async function stopAll(running: readonly { readonly server: StoppableServer }[]): Promise<void> {
  await Promise.all(running.map(({ server }) => server.stop()))
}

function noSuchAddress(cause: unknown): Error {
  return new Error(
    "This system lacks the addresses of the sandbox's mail hosts in 127.42.0.0/16, which Linux has by default. Add " +
      "them to the loopback interface (macOS: `sudo ifconfig lo0 alias 127.42.0.10`, for each of 10 to 62 and 200 to " +
      "219), or start without the sandbox: SANDBOX=0.",
    { cause },
  )
}
