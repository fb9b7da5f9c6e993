import { chown, copyFile, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { accountOf, type Listener, makeHome, ownLoopback, type RunningServer, startInRoot } from "./mta-root.ts"

const FIRST_PORT = 2601
const STAGES = ["connect", "helo", "rcpt"] as const

/** Access control statements of one SMTP service, by stage. The default is to accept. */
export type EximService = Readonly<Partial<Record<(typeof STAGES)[number], readonly string[]>>>

/** One port per service. */
export interface Exim<Name extends string> extends RunningServer {
  readonly at: Readonly<Record<Name, Listener>>
}

/** An Exim with the configuration test/mta/exim.conf and one port per service. */
export async function startExim<Name extends string>(
  services: Readonly<Record<Name, EximService>>,
): Promise<Exim<Name>> {
  const home = await makeHome("exim")
  const address = ownLoopback()
  const names = Object.keys(services) as Name[]
  const at = Object.fromEntries(names.map((name, index) => [name, { address, port: FIRST_PORT + index }]))
  const ports = names.map((name) => `AT_${name.toUpperCase()}_PORT = ${at[name]!.port}`)
  const listening = `daemon_smtp_ports = ${names.map((name) => at[name]!.port).join(" : ")}`
  const conf = await readFile(fixture("exim.conf"), "utf8")
  await writeFile(
    join(home.path, "exim.conf"),
    [`ROOM = ${home.inside}`, `ADDRESS = ${address}`, ...ports, listening, conf].join("\n"),
  )
  await writeFile(join(home.path, "acl"), names.flatMap((name) => aclOf(services[name], at[name]!)).join("\n"))
  await copyFile(fixture("exim-aliases"), join(home.path, "aliases"))
  const exim = await accountOf("Debian-exim")
  await mkdir(join(home.path, "spool"))
  await chown(join(home.path, "spool"), exim, exim)
  const server = await startInRoot({
    command: "/usr/sbin/exim4",
    args: ["-C", `${home.inside}/exim.conf`, "-bdf"],
    home,
    listeners: Object.values(at),
  })
  return { ...server, at: at as Record<Name, Listener> }
}

function aclOf(service: EximService, { port }: Listener): string[] {
  return STAGES.flatMap((stage) => [
    `${stage}_${port}:`,
    ...(service[stage] ?? []).map((line) => `  ${line}`),
    "  accept",
  ])
}

function fixture(name: string): URL {
  return new URL(`../../mta/${name}`, import.meta.url)
}
