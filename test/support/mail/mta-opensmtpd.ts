import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Listener, makeHome, ownLoopback, type RunningServer, startInRoot } from "./mta-root.ts"

/** Ports of the listeners in test/mta/smtpd.conf. */
const PORTS = { plain: 2701, connect: 2702, ehlo: 2703, mail: 2704, rcpt: 2705 } as const
export type OpenSmtpdService = keyof typeof PORTS

export interface OpenSmtpd extends RunningServer {
  at(service: OpenSmtpdService): Listener
}

/** An OpenSMTPD with the configuration test/mta/smtpd.conf. */
export async function startOpenSmtpd(): Promise<OpenSmtpd> {
  const home = await makeHome("opensmtpd")
  const address = ownLoopback()
  const conf = await readFile(new URL("../../mta/smtpd.conf", import.meta.url), "utf8")
  await writeFile(join(home.path, "smtpd.conf"), `address = "${address}"\n${conf}`)
  const at = (service: OpenSmtpdService) => ({ address, port: PORTS[service] })
  const server = await startInRoot({
    command: "/usr/sbin/smtpd",
    args: ["-d", "-f", `${home.inside}/smtpd.conf`],
    home,
    listeners: [at("plain"), at("rcpt")],
    alone: true,
  })
  return { ...server, at }
}
