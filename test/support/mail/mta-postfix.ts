import { chown, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import {
  accountOf,
  type Listener,
  makeHome,
  ownLoopback,
  type RunningServer,
  type ServerHome,
  startInRoot,
} from "./mta-root.ts"

/** Settings of one SMTP service, which override main.cf. `screen` puts postscreen in front of it. */
export interface PostfixService {
  readonly settings?: Readonly<Record<string, string>>
  readonly screen?: Readonly<Record<string, string>>
}

/** One port per service. */
export interface Postfix<Name extends string> extends RunningServer {
  readonly at: Readonly<Record<Name, Listener>>
}

export interface PostfixSetup<Name extends string> {
  /** Settings of main.cf. `$home` is the server's folder. */
  readonly main: Readonly<Record<string, string>>
  readonly services: Readonly<Record<Name, PostfixService>>
  /** Files in the server's folder. */
  readonly files?: Readonly<Record<string, string>>
}

const FIRST_PORT = 2501
const QUEUES = ["active", "bounce", "corrupt", "defer", "deferred", "flush", "hold", "incoming", "saved", "trace"]
/** Internal services that smtpd and postscreen use. */
const INNER_SERVICES = [
  "cleanup unix n - n - 0 cleanup",
  "rewrite unix - - n - - trivial-rewrite",
  "anvil unix - - n - 1 anvil",
  "tlsmgr unix - - n 1000? 1 tlsmgr",
  "tlsproxy unix - - n - 0 tlsproxy",
  "dnsblog unix - - n - 0 dnsblog",
  "proxymap unix - - n - - proxymap",
  "verify unix - - n - 1 verify",
]
/** Disables DNS look-ups and trusted networks. */
const QUIET: Readonly<Record<string, string>> = {
  compatibility_level: "3.6",
  inet_protocols: "ipv4",
  myhostname: "mx.test",
  mydestination: "",
  mynetworks: "192.0.2.1/32",
  smtpd_peername_lookup: "no",
  smtpd_error_sleep_time: "0",
  in_flow_delay: "0",
  smtpd_client_event_limit_exceptions: "",
  smtpd_relay_restrictions: "reject_unauth_destination",
  alias_maps: "",
  alias_database: "",
}

/** A Postfix with one port per service. */
export async function startPostfix<Name extends string>(setup: PostfixSetup<Name>): Promise<Postfix<Name>> {
  const home = await makeHome("postfix")
  const address = ownLoopback()
  const names = Object.keys(setup.services) as Name[]
  const at = Object.fromEntries(names.map((name, index) => [name, { address, port: FIRST_PORT + index }]))
  await makeQueue(home)
  for (const [name, text] of Object.entries(setup.files ?? {})) await writeFile(join(home.path, name), text)
  const main = { ...QUIET, ...placesOf(home), ...setup.main }
  const inPlace = (text: string) => text.replaceAll("$home", home.inside)
  await writeFile(
    join(home.path, "main.cf"),
    inPlace(lines(Object.entries(main).map(([key, value]) => `${key} = ${value}`))),
  )
  const services = names.flatMap((name) => serviceLines(setup.services[name], at[name]!))
  await writeFile(join(home.path, "master.cf"), inPlace(lines([...services, ...INNER_SERVICES])))
  const server = await startInRoot({
    command: "/usr/lib/postfix/sbin/master",
    args: ["-c", home.inside, "-d"],
    home,
    listeners: Object.values(at),
  })
  return { ...server, at: at as Record<Name, Listener> }
}

function serviceLines({ settings = {}, screen }: PostfixService, { address, port }: Listener): string[] {
  const options = (set: Readonly<Record<string, string>>) =>
    Object.entries(set).map(([key, value]) => `  -o { ${key} = ${value} }`)
  if (!screen) return [`${address}:${port} inet n - n - - smtpd`, ...options(settings)]
  const behind = `behind-${port}`
  return [
    `${address}:${port} inet n - n - 1 postscreen`,
    // Only one postscreen can open a cache.
    ...options({ smtpd_service_name: behind, postscreen_cache_map: `btree:$home/data/${behind}`, ...screen }),
    `${behind} pass - - n - - smtpd`,
    ...options(settings),
  ]
}

function placesOf({ inside }: ServerHome): Record<string, string> {
  return { queue_directory: `${inside}/queue`, data_directory: `${inside}/data`, config_directory: inside }
}

/** The folders of the installed package, with the owners that the master process requires. */
async function makeQueue({ path }: ServerHome): Promise<void> {
  const postfix = await accountOf("postfix")
  const postdrop = await accountOf("postdrop", "group")
  const folder = async (name: string, mode: number, [user, group]: readonly [number, number]) => {
    await mkdir(join(path, name), { recursive: true, mode })
    await chown(join(path, name), user, group)
  }
  await folder("queue", 0o755, [0, 0])
  await folder("queue/pid", 0o755, [0, 0])
  await folder("data", 0o700, [postfix, postfix])
  await folder("queue/private", 0o700, [postfix, postfix])
  await folder("queue/public", 0o710, [postfix, postdrop])
  await folder("queue/maildrop", 0o730, [postfix, postdrop])
  for (const name of QUEUES) await folder(`queue/${name}`, 0o700, [postfix, postfix])
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`
}
