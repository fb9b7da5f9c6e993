import { INBOUND_PROVIDERS, STATUSES } from "../../../schema/vocabulary.ts"
import { RELEASE } from "../../../schema/wire/version.ts"
import type { Backlog } from "../../adapters/store/admin/counters.ts"
import type { Context } from "../../context.ts"
import { diskFamilies } from "../../domain/admin/installation.ts"
import {
  CACHE_PLACES,
  type Family,
  lookupCounter,
  requestFamilies,
  unreadableCounter,
} from "../../domain/admin/metrics.ts"
import { NODE_STATES } from "../../domain/fleet/nodes.ts"
import { dayOf } from "../../domain/time.ts"

/** Collects the metrics of the whole service. Counters restart each day, which Prometheus treats as a reset. */
export async function collectMetrics(ctx: Context): Promise<Family[]> {
  const now = ctx.clock.now()
  const [requests, today, backlog, nodes, space, stores] = await Promise.all([
    ctx.store.metrics.requestCounts(),
    ctx.store.counters.since(dayOf(now), now),
    ctx.store.metrics.backlog(now),
    ctx.fleet.all(),
    ctx.disk.space(),
    ctx.disk.stores(),
  ])
  const shared = nodes.filter(({ accountId }) => accountId === null)
  const done = new Map(today.map(({ name, count }) => [name, count]))
  return [
    {
      name: "mailverdict_build_info",
      type: "gauge",
      help: "Version of the software that runs.",
      samples: [{ labels: { version: RELEASE }, value: 1 }],
    },
    ...requestFamilies(requests),
    {
      name: "mailverdict_results_total",
      type: "counter",
      help: "Fresh verification results since midnight UTC, by status.",
      samples: STATUSES.map((status) => ({ labels: { status }, value: done.get(`verified:${status}`) ?? 0 })),
    },
    {
      name: "mailverdict_cache_lookups_total",
      type: "counter",
      help: "Lookups of stored results since midnight UTC.",
      samples: CACHE_PLACES.flatMap((place) =>
        [true, false].map((isHit) => ({
          labels: { place, result: isHit ? "hit" : "miss" },
          value: done.get(lookupCounter(place, isHit)) ?? 0,
        })),
      ),
    },
    {
      name: "mailverdict_unreadable_events_total",
      type: "counter",
      help: "Events of sending providers since midnight UTC whose kind, id or recipient could not be read.",
      samples: INBOUND_PROVIDERS.map((provider) => ({
        labels: { provider },
        value: done.get(unreadableCounter(provider)) ?? 0,
      })),
    },
    {
      name: "mailverdict_probe_nodes",
      type: "gauge",
      help: "Shared probe nodes by state. Only healthy and degraded nodes probe.",
      samples: NODE_STATES.map((state) => ({
        labels: { state },
        value: shared.filter((node) => node.state === state).length,
      })),
    },
    ...backlogFamilies(backlog),
    ...(space ? diskFamilies(space, stores ?? {}) : []),
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
      help: "Open chunks of bulk jobs, by state.",
      samples: Object.entries(chunks).map(([state, value]) => ({ labels: { state }, value })),
    },
    gauge("job_chunk_oldest_due_seconds", "How long the oldest open chunk has been due.", oldestChunkMs / 1_000),
    gauge("pending_verifications", "Background verifications that are not done.", verifications),
    gauge("webhooks_due", "Webhook deliveries that are due.", webhooks),
    gauge("rechecks_due", "Deferred addresses whose recheck is due.", rechecks),
  ]
}
