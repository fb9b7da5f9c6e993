import { expect } from "vitest"
import type { Status } from "../../../schema/vocabulary.ts"
import { NODE_STATES, type NodeState } from "../../../src/domain/fleet/nodes.ts"
import { eventually } from "../time/until.ts"
import { type Counts, sum } from "./customer.ts"
import type { FleetCall, LocalFleet } from "./local-fleet.ts"

interface NodeView {
  readonly id: string
  readonly state: NodeState
}
interface Region {
  readonly nodes: number
  readonly usable: number
  readonly probes: readonly NodeView[]
}
type Body = Record<string, unknown>
export type Who = "operator" | "customer" | "nobody"

export const WAIT = { interval: 300 }

export const addresses = (count: number, domain: string, name: string) =>
  Array.from({ length: count }, (_, n) => `${name}${n}@${domain}`)

export const countOf = (statuses: readonly Status[]): Counts =>
  Object.fromEntries([...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]))
/** Counts without those of 0. */
export const positive = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

const DIRECTORY_ANSWERS = [
  ["/verify/google-workspace", "team@workspace.test", { kind: "group" }, { kind: "entry", exists: true }],
  ["/verify/google-workspace", "gone@workspace.test", { suspended: true }, { kind: "nobody", exists: false }],
  ["/verify/microsoft-graph", "robert@m365.test", { is_alias: true }, { kind: "entry", exists: true }],
] as const

/** The operator of an installation, who counts what every statistic must say. */
export class Operator {
  readonly fleet: LocalFleet
  /** Headers of the customer whom the operator meets. */
  customer: Record<string, string> = {}
  /** Status of each verification so far; all of new addresses. */
  readonly statuses: Status[] = []
  /** The endpoints that the operator has read. */
  readonly seen = new Set<string>()

  constructor(fleet: LocalFleet) {
    this.fleet = fleet
  }

  get #headers() {
    return { "x-admin-secret": this.fleet.stack.secrets.adminSecret }
  }

  as<T = Body>(who: Who, method: string, path: string, init: FleetCall = {}) {
    const nobody = { "x-real-ip": "192.0.2.7" }
    const headers = who === "operator" ? this.#headers : who === "customer" ? this.customer : nobody
    return this.fleet.call<T>(method, path, { ...init, headers })
  }

  /** A successful call of the operator. @param at the path with its values and query */
  async call<T = Body>(method: string, path: string, at = path): Promise<T> {
    const { status, body } = await this.as<T>("operator", method, path, { at })
    expect([at, status]).toEqual([at, 200])
    return body
  }

  read<T = Body>(path: string, at = path): Promise<T> {
    this.seen.add(`GET ${path}`)
    return this.call<T>("GET", path, at)
  }

  async readText(path: string): Promise<string> {
    this.seen.add(`GET ${path}`)
    return (await fetch(`${this.fleet.stack.url}${path}`, { headers: this.#headers })).text()
  }

  /** The accounts of a search. @param query of /admin/users */
  async search(query: string): Promise<readonly object[]> {
    return (await this.read<{ users: object[] }>("/admin/users", `/admin/users?${query}`)).users
  }

  /** Signs the customer in by the mailed link, and joins its key. @returns the account's id */
  async confirmMailbox(email: string): Promise<string> {
    await this.as("nobody", "POST", "/auth/request", { body: { email } })
    const inbox = new URL(`/sandbox/inbox?to=${encodeURIComponent(email)}`, this.fleet.stack.sandbox!.dohUrl)
    const messages = (await (await fetch(inbox)).json()) as { raw: string }[]
    const token = /#\/sign-in\/([\w-]+)/.exec(messages.at(-1)?.raw ?? "")?.[1]
    const { body } = await this.as<{ account_id: string }>("customer", "POST", "/auth/verify", { body: { token } })
    return body.account_id
  }

  /** A sample of /admin/metrics. */
  async metric(name: string): Promise<number> {
    const line = (await this.readText("/admin/metrics")).split("\n").find((one) => one.startsWith(`${name} `))
    return Number(line?.slice(name.length) ?? Number.NaN)
  }

  /** Verifies new addresses. */
  async verify(emails: readonly string[], who: Who = "operator"): Promise<Counts> {
    type Answer = { results: { status: Status }[] }
    const { body } = await this.as<Answer>(who, "POST", "/validate/bulk", { body: { emails } })
    const statuses = body.results.map(({ status }) => status)
    this.statuses.push(...statuses)
    return countOf(statuses)
  }

  /** The source IPs that connected to a sandbox host during work. */
  async clientsDuring(host: string, work: () => Promise<unknown>): Promise<string[]> {
    const before = (await this.fleet.connections(host)).length
    await work()
    return [...new Set((await this.fleet.connections(host)).slice(before).map(({ client }) => client))].toSorted()
  }

  /** Reads the directories of the operator. With DIRECTORY_SHARE=existence the customer learns only what exists. */
  async expectDirectories(): Promise<void> {
    for (const [path, email, full, shared] of DIRECTORY_ANSWERS) {
      const at = `${path}?email=${email}`
      expect(await this.read(path, at)).toMatchObject(full)
      const { body } = await this.as("customer", "GET", path, { at })
      expect(body).toMatchObject({ is_alias: null, suspended: null, ...shared })
      expect((await this.as("nobody", "GET", path, { at })).status).toBe(401)
    }
  }

  /** Waits for the states of nodes, and checks that every view of the fleet has them. */
  async expectFleet(expected: Readonly<Record<string, NodeState>>): Promise<void> {
    const statesOf = (views: readonly NodeView[]) => Object.fromEntries(views.map(({ id, state }) => [id, state]))
    const listed = async () => statesOf((await this.read<{ nodes: NodeView[] }>("/fleet/nodes")).nodes)
    await eventually(async () => expect(await listed()).toEqual(expected), WAIT)
    const all = Object.values(expected)
    const byState = Object.fromEntries(NODE_STATES.map((state) => [state, all.filter((one) => one === state).length]))
    const usable = byState.healthy! + byState.degraded!
    expect(await this.read("/health")).toMatchObject({ status: "ok", probe_nodes: usable, fleet: byState })
    const { regions } = await this.read<{ regions: Region[] }>("/regions")
    expect(sum(regions.map((region) => region.nodes))).toBe(all.length)
    expect(sum(regions.map((region) => region.usable))).toBe(usable)
    const health = (await this.read<{ regions: Region[] }>("/regions/health")).regions
    expect(health.map(({ probes: _, ...region }) => region)).toEqual(regions)
    expect(statesOf(health.flatMap(({ probes }) => probes))).toEqual(expected)
    const { senders } = await this.read<{ senders: { node_id: string }[] }>("/senders")
    expect(senders.map((one) => one.node_id)).toEqual(Object.keys(expected))
    for (const [state, count] of Object.entries(byState))
      expect(await this.metric(`mailverdict_probe_nodes{state="${state}"}`)).toBe(count)
  }
}
