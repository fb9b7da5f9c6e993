import { NODE_STATES, STATUSES } from "../../../schema/vocabulary.ts"
import { CACHE_PLACES } from "../../adapters/store/counted.ts"
import type { Backlog } from "../../adapters/store/metrics.ts"
import type { Deps } from "../../deps.ts"
import type { Family } from "../../domain/metrics/prometheus.ts"
import { requestFamilies } from "../../domain/metrics/request-counts.ts"
import { dayOf } from "../../domain/time.ts"

type Needs = Pick<Deps, "metrics" | "counters" | "fleet" | "clock">

/** Everything monitoring may want to know of the whole service. Counters that start anew each day are resets to Prometheus. */
export async function collectMetrics({ metrics, counters, fleet, clock }: Needs): Promise<Family[]> {
  const now = clock.now()
  const [requests, today, backlog, nodes] = await Promise.all([
    metrics.requestCounts(),
    counters.since(dayOf(now)),
    metrics.backlog(now),
    fleet.all(),
  ])
  const shared = nodes.filter(({ accountId }) => accountId === null)
  const done = new Map(today.map(({ name, count }) => [name, count]))
  return [
    ...requestFamilies(requests),
    {
      name: "mailverdict_results_total",
      type: "counter",
      help: "Results found out since midnight UTC, by status.",
      samples: STATUSES.map((status) => ({ labels: { status }, value: done.get(`verified:${status}`) ?? 0 })),
    },
    {
      name: "mailverdict_cache_lookups_total",
      type: "counter",
      help: "Look-ups of stored results since midnight UTC.",
      samples: CACHE_PLACES.flatMap((place) =>
        ["hit", "miss"].map((result) => ({
          labels: { place, result },
          value: done.get(`cache:${place}:${result}`) ?? 0,
        })),
      ),
    },
    {
      name: "mailverdict_probe_nodes",
      type: "gauge",
      help: "Probe nodes of the operator by state; only healthy and degraded ones are asked.",
      samples: NODE_STATES.map((state) => ({
        labels: { state },
        value: shared.filter((node) => node.state === state).length,
      })),
    },
    ...backlogFamilies(backlog),
  ]
}

function backlogFamilies({ chunks, oldestChunkMs, verifications, webhooks, rechecks }: Backlog): Family[] {
  const gauge = (name: string, help: string, value: number): Family => ({
    name: `mailverdict_${name}`,
    type: "gauge",
    help,
    samples: [{ labels: {}, value }],
  })
  return [
    {
      name: "mailverdict_job_chunks",
      type: "gauge",
      help: "Parts of bulk jobs that are not done: to be worked on now, later, in the queue, in work.",
      samples: Object.entries(chunks).map(([state, value]) => ({ labels: { state }, value })),
    },
    gauge("job_chunk_oldest_due_seconds", "How long the oldest part of a job has been due.", oldestChunkMs / 1_000),
    gauge("pending_verifications", "Verifications in the background that are not done.", verifications),
    gauge("webhooks_due", "Webhooks that should have gone out.", webhooks),
    gauge("rechecks_due", "Addresses that servers asked us to come back for, and that are due.", rechecks),
  ]
}
