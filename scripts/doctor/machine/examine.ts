import { readFileSync, statSync } from "node:fs"
import { storageStateOf } from "../../../src/domain/admin/installation.ts"
import { lastBackup } from "../../data/backup-set.ts"
import { capsOf, DEFAULT_CAPS } from "../../dev/connection-caps.ts"
import { fileSystemOf, spaceOf } from "../../dev/disk-report.ts"
import { fileLimit } from "../../dev/settings.ts"
import { recordedService } from "../../operator/service.ts"
import { checkResolver } from "../examine.ts"
import { type Finding, fail, ok, warn } from "../finding.ts"
import { type Given, isPublicUrl, lacksHost, type MachineSettings, readMachine, SET_BY_HOST } from "../settings.ts"
import { createLookup, type Lookup, type NeededRecord, neededRecords } from "./dns-records.ts"
import { addressesIn, findingsOf, type Hoster, hosterOf, isPort25Closed, nodeReport, ticketFor } from "./port-25.ts"
import { checkProxyHeader, checkTls, laterTls } from "./public-address.ts"

const HEALTH_MS = 10_000

export interface MachineReport {
  readonly findings: readonly Finding[]
  /** The DNS records that the service needs. */
  readonly records: readonly NeededRecord[]
  /** The hosting provider and its rule for port 25. Null: it is not in the table. */
  readonly hoster: Pick<Hoster, "name" | "port25" | "rule"> | null
  /** The text of a request to open port 25. Null when port 25 is open. */
  readonly ticket: string | null
}

interface ExaminedMachine {
  readonly environment: Given
  /** Path of the settings file, which may be missing. */
  readonly file: string
  /** Settings and machine only: no call to another host. */
  readonly isOffline: boolean
}

/** Checks the machine of an edge that `npm start` runs: what mail servers, callers and DNS see of it. Takes up to 30 s. */
export async function examineMachine({ environment, file, isOffline }: ExaminedMachine): Promise<MachineReport> {
  const settings = await readMachine(environment, file)
  const { given, config, dataDir, findings } = settings
  const here = [...findings, ...checkMachine({ dataDir, settings: given, now: Date.now() })]
  const shown = (all: readonly Finding[]) =>
    lacksHost(given) ? all.filter(({ about }) => !SET_BY_HOST.has(about)) : all
  if (isOffline) return { findings: shown(here), records: [], hoster: null, ticket: null }
  const lookup = createLookup(given.PROBE_DNS)
  const resolvers = config && given.SANDBOX === "0" ? config.dohUrls.map((url) => [url, config.baseUrl] as const) : []
  const [service, mail, answers] = await Promise.all([
    checkService(dataDir),
    hasOwnNode(given) ? examineMail(settings, lookup) : null,
    Promise.all(resolvers.map(([url, baseUrl]) => checkResolver(url, new URL(baseUrl).hostname))),
  ])
  const address = await checkAddress(settings, service)
  const elsewhere = ok("probe nodes", "are elsewhere: run the doctor of each node")
  const { findings: mailFindings, ...rest } = mail ?? { findings: [elsewhere], records: [], hoster: null, ticket: null }
  return { findings: shown([...here, ...answers, service.finding, ...address, ...mailFindings]), ...rest }
}

const hasOwnNode = ({ PROBE_NODES }: Given) => !PROBE_NODES

type CheckedService = Awaited<ReturnType<typeof checkService>>

/**
 * Before the start, or after a stop, this is no failure: the machine itself may be ready.
 * @returns `isStarted`: whether it runs, so that its public address can be checked
 */
async function checkService(dataDir: string) {
  const found = (result: Finding["result"], detail: string, isStarted = true) => {
    return { finding: { about: "service", result, detail } satisfies Finding, isStarted }
  }
  try {
    const recorded = recordedService(dataDir)
    if (!recorded) return found("warn", "is not started: start it, and then run this again to check it", false)
    const { url, isRunning } = recorded
    if (!isRunning) return found("fail", "has ended without a stop: read its log, and start it", false)
    return found(...(await healthAt(new URL("/health", url))))
  } catch (error) {
    return found("fail", `${(error as Error).message}: run this as the service's user`)
  }
}

async function healthAt(url: URL): Promise<[result: Finding["result"], detail: string]> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(HEALTH_MS) })
    const { status, detail } = (await answer.json()) as { status?: string; detail?: string }
    if (status === "ok") return ["ok", `runs at ${url}`]
    return ["fail", `${detail ?? `answers ${answer.status}`} (docs/operating.md)`]
  } catch {
    return ["fail", `does not answer at ${url}: read its log`]
  }
}

/** The certificate, and then whether the proxy states the caller's address. */
async function checkAddress({ config, given }: MachineSettings, { isStarted }: CheckedService): Promise<Finding[]> {
  if (!config || new URL(config.baseUrl).protocol !== "https:") return []
  const baseUrl = new URL(config.baseUrl)
  const tls = isStarted ? await checkTls(baseUrl, Date.now()) : laterTls(baseUrl)
  const { CLIENT_IP_HEADER: header, ADMIN_SECRET: adminSecret } = given
  if (!header) {
    const detail = "is not set: behind a proxy, all callers without a key share one limit. Set it to x-real-ip"
    return [tls, warn("CLIENT_IP_HEADER", detail)]
  }
  if (tls.result === "fail" || !isStarted || !adminSecret) return [tls]
  return [tls, await checkProxyHeader({ baseUrl, adminSecret, header })]
}

/** What mail servers see: the node's own checks, the DNS records, and the provider's rule for port 25. */
async function examineMail({ given, config }: MachineSettings, lookup: Lookup): Promise<MachineReport> {
  const report = await nodeReport(given)
  const ips = addressesIn(report)
  const spf = typeof report === "string" ? [] : report.findings.filter(({ check }) => check === "spf")
  const allowedIps = spf.flatMap(({ subject, result }) => (result === "ok" && subject !== null ? [subject] : []))
  const base = config ? new URL(config.baseUrl) : null
  const apiHost = base && isPublicUrl(base) ? base.hostname : null
  const [heloName, mailFrom] = [given.PROBE_HELO ?? null, given.PROBE_MAIL_FROM ?? null]
  const records = await neededRecords({ ips, apiHost, heloName, mailFrom, allowedIps }, lookup)
  const [asns, names] = await Promise.all([
    Promise.all(ips.map((ip) => lookup.asn(ip))),
    Promise.all(ips.map((ip) => lookup.reverse(ip))),
  ])
  const found = hosterOf({ asn: asns.find((asn) => asn !== null) ?? null, names: names.flatMap((all) => all ?? []) })
  const hoster = found && { name: found.name, port25: found.port25, rule: found.rule }
  const closed = isPort25Closed(report)
  const ticket =
    closed && heloName && mailFrom
      ? ticketFor({ ips, heloName, mailFrom, baseUrl: given.BASE_URL ?? "our service" })
      : null
  const findings = [...findingsOf(report), ...apiRecord(records, apiHost), ...(closed ? [ruleOf(hoster)] : [])]
  return { findings, records, hoster, ticket }
}

/** The node checks its own names. The service's name is checked here. */
function apiRecord(records: readonly NeededRecord[], apiHost: string | null): Finding[] {
  const own = records.filter(({ name, type }) => name === apiHost && (type === "A" || type === "AAAA"))
  if (own.length === 0) return []
  const about = `DNS ${apiHost}`
  if (own.some(({ state }) => state === "ok")) return [ok(about, "points to this machine")]
  if (own.every(({ state }) => state === "unknown"))
    return [warn(about, "could not be looked up: check the resolver, and run this again")]
  const wanted = own.map(({ type, value }) => `${type} ${value}`).join(", ")
  const found = own.flatMap((record) => record.found ?? [])
  return found.length === 0
    ? [fail(about, `has no address: create ${wanted}`)]
    : [warn(about, `points to ${found.join(", ")}, not to this machine: without a CDN, set ${wanted}`)]
}

function ruleOf(hoster: MachineReport["hoster"]): Finding {
  const about = "port 25"
  if (!hoster) return fail(about, "is closed: send the text below to the provider of this machine")
  const next =
    hoster.port25 === "closed"
      ? "Use a machine of another provider for the node, or a SOCKS5 proxy with port 25 (PROBE_SOCKS5)"
      : "The text below is for the request"
  return fail(about, `is closed. ${hoster.name}: ${hoster.rule}. ${next}`)
}

const MIB = 1_048_576
const HOUR_MS = 3_600_000
/** A daily backup that has failed once is a warning, and one that has failed for a week a failure. */
const [LATE_MS, LOST_MS] = [30 * HOUR_MS, 7 * 24 * HOUR_MS]
/** A machine that is sold as 1 GB. All parts take 272 MiB, and 420 during a job (docs/sizes.md). */
const LEAST_MEMORY_MIB = 900

interface Place {
  readonly dataDir: string
  readonly settings: Readonly<Record<string, string | undefined>>
  /** Unix ms. */
  readonly now: number
}

/** Checks what this machine gives the service: disk, memory, open files, and the age of the last backup. */
export function checkMachine(place: Place): Finding[] {
  return [checkDisk(place), checkMemory(), checkFiles(place), checkBackup(place)]
}

function checkDisk({ dataDir }: Place): Finding {
  const about = "disk"
  try {
    const { ffree, files } = fileSystemOf(dataDir)
    const space = spaceOf(dataDir)
    const size = `${Math.floor(space.freeBytes / MIB).toLocaleString("en-US")} MiB are free at ${dataDir}`
    const advice = "delete old backups, or enlarge the disk: on a full disk the service refuses writes"
    if (files > 0 && ffree < 1_000) return fail(about, `only ${ffree} files can be created: ${advice}`)
    const state = storageStateOf(space)
    if (state === "ok") return ok(about, size)
    return { about, result: state === "full" ? "fail" : "warn", detail: `only ${size}: ${advice}` }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const detail = `${dataDir} cannot be read (${code}): set DATA_DIR, and run this as the service's user`
    return fail(about, detail)
  }
}

function checkMemory(): Finding {
  const total = Number(/^MemTotal: +(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1]) / 1_024
  const size = `${Math.round(total).toLocaleString("en-US")} MiB of memory`
  if (total >= LEAST_MEMORY_MIB) return ok("memory", size)
  return warn("memory", `${size}: use a machine with 1 GB (docs/sizes.md)`)
}

function checkFiles({ settings }: Place): Finding {
  const about = "open files"
  const files = fileLimit()
  const { total } = capsOf({ ...settings, CONNECTIONS: undefined }, files)
  if (total >= DEFAULT_CAPS.total) return ok(about, `a process may open ${files}`)
  const detail = `a process of this shell may open ${files}, so at most ${Math.max(0, total)} connections: raise the limit (ulimit -Hn)`
  return warn(about, detail)
}

function checkBackup({ dataDir, now }: Place): Finding {
  const about = "backup"
  const last = lastBackup(dataDir)
  const advice = "install mailverdict-backup.timer (docs/maintaining.md#back-up-each-night)"
  if (!last) return warn(about, `there is none: ${advice}`)
  const ageMs = now - last.at
  const when = `${new Date(last.at).toISOString().slice(0, 16)}Z to ${last.place}`
  if (ageMs > LOST_MS) return fail(about, `the last one is of ${when}: ${advice}, and read its log`)
  if (ageMs > LATE_MS) return warn(about, `the last one is of ${when}: ${advice}, and read its log`)
  if (isSameDisk(dataDir, last.place))
    return warn(about, `${when}, on the disk of the data: set BACKUP_TO to another disk or to S3`)
  return ok(about, when)
}

function isSameDisk(dataDir: string, place: string): boolean {
  const of = (path: string) => statSync(path, { throwIfNoEntry: false })?.dev
  return !place.startsWith("s3:") && of(place) !== undefined && of(place) === of(dataDir)
}
