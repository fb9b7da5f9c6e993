import type { ProbeRequest, RecipientOutcome } from "../../../schema/wire/probe.ts"
import { inParallel } from "../../adapters/in-parallel.ts"
import type { FleetNode } from "../../adapters/probes/fleet-node.ts"
import type { Canary } from "../../adapters/store/fleet-records.ts"
import type { Deps } from "../../deps.ts"
import { isDrift, readCanary } from "../../domain/fleet/canary.ts"
import { type PairName, pairKey } from "../../domain/fleet/pair.ts"
import { playbookFor } from "../../domain/mail/playbooks.ts"
import { hasMailHost } from "../../domain/verdict/domain-facts.ts"
import { findMailRoute } from "../verification/find-mail-route.ts"

type Needs = Pick<Deps, "clock" | "log" | "dns" | "fleet" | "fleetRecords" | "probes" | "randomToken" | "canaryEveryMs">

const WIDTH = 4
const DEADLINE_MS = 20_000
/** Nothing is begun after that: the next minute's run would ask again from where this one still waits for an answer. */
const RUN_MS = 30_000

interface Due {
  readonly canary: Canary
  readonly node: FleetNode
  readonly pair: PairName
  /** It was out already. */
  readonly wasOut: boolean
}

/**
 * Asks from each source IP of the shared nodes about two addresses of our operator's at each mail operator, one real and
 * one not. Where both get the same answer the answers from there say nothing: the pair is taken out until it tells them
 * apart again. An account's nodes are not told the addresses: they serve that account only.
 */
export async function runCanaries(needs: Needs): Promise<void> {
  const canaries = await needs.fleetRecords.canaries()
  if (canaries.length === 0) return
  const until = needs.clock.now() + RUN_MS
  const due = await findDue(needs, canaries)
  await inParallel(due, WIDTH, async (one) => {
    if (needs.clock.now() < until) await runOne(needs, one)
  })
  if (due.length > 0) await needs.fleet.refresh()
}

async function findDue({ clock, fleet, fleetRecords, canaryEveryMs }: Needs, canaries: readonly Canary[]) {
  const last = new Map((await fleetRecords.pairs()).map((pair) => [pairKey(pair), pair]))
  const since = clock.now() - canaryEveryMs
  const nodes = (await fleet.all()).filter(
    ({ accountId, state }) => accountId === null && (state === "healthy" || state === "degraded"),
  )
  return canaries.flatMap((canary) =>
    nodes.flatMap((node) =>
      node.sourceIps.flatMap((sourceIp): Due[] => {
        const pair = { nodeId: node.id, sourceIp, operator: canary.operator }
        const before = last.get(pairKey(pair))
        const isDue = (before?.canaryAt ?? 0) <= since
        return isDue ? [{ canary, node, pair, wasOut: isDrift(before?.canary ?? null) }] : []
      }),
    ),
  )
}

async function runOne(needs: Needs, { canary, node, pair, wasOut }: Due): Promise<void> {
  const { clock, log, fleetRecords } = needs
  const outcomes = await ask(needs, { canary, node, pair })
  const seen = readCanary(outcomes.get(0) ?? null, outcomes.get(1) ?? null)
  // What could not be told leaves things as they were.
  const finding = seen === "unclear" && wasOut ? "blanket_refuse" : seen
  const detail = `existing: ${textOf(outcomes.get(0))}; missing: ${textOf(outcomes.get(1))}`
  await fleetRecords.noteCanary(pair, { finding, at: clock.now(), detail })
  if (isDrift(finding) !== wasOut)
    log(wasOut ? "canary_recovered" : "canary_drift", { node: node.id, operator: canary.operator, finding })
}

async function ask(
  { dns, probes, randomToken }: Needs,
  { canary, node, pair }: Pick<Due, "canary" | "node" | "pair">,
): Promise<Map<number, RecipientOutcome>> {
  const addresses = [canary.existing, canary.missing]
  const route = await findMailRoute(dns, addresses[0]!.slice(addresses[0]!.lastIndexOf("@") + 1))
  const outcomes = new Map<number, RecipientOutcome>()
  if (!hasMailHost(route)) return outcomes
  const request: ProbeRequest = {
    requestId: randomToken(),
    deadlineMs: DEADLINE_MS,
    priority: "bulk",
    sourceIp: pair.sourceIp,
    avoidSourceIps: [],
    groups: [
      {
        mx: route.hosts.slice(0, 20).map(({ host, preference }) => ({ host, preference })),
        playbook: { ...playbookFor(route.hosts), operator: canary.operator, control: "never" },
        recipients: addresses.map((address, index) => ({ index, address })),
        controls: [],
      },
    ],
  }
  const answer = await probes.ask(request, { onlyNode: node.id, preferNode: node.id })
  if (answer.kind === "lines") for await (const { index, outcome } of answer.lines) outcomes.set(index, outcome)
  return outcomes
}

/** Without the text: it may hold the address. */
function textOf(outcome: RecipientOutcome | undefined): string {
  if (!outcome) return "no answer"
  return outcome.kind === "failure" ? outcome.failure : `${outcome.reply.code} ${outcome.reply.enhanced ?? ""}`.trim()
}
