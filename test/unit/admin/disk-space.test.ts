import { expect, test } from "vitest"
import { diskFamilies, storageStateOf } from "../../../src/domain/admin/installation.ts"
import { formatPrometheus } from "../../../src/domain/admin/metrics.ts"
import { collectMetrics } from "../../../src/services/admin/collect-metrics.ts"
import { testContext } from "../../support/deps/context.ts"

const [MB, GB] = [1_048_576, 1_073_741_824]

test.each([
  // A large disk warns by bytes, a small one by its share.
  [1_000 * GB, 1.1 * GB, "ok"],
  [1_000 * GB, 0.9 * GB, "low"],
  [1_000 * GB, 17 * MB, "low"],
  [1_000 * GB, 15 * MB, "full"],
  [8 * MB, 0.9 * MB, "ok"],
  [8 * MB, 0.7 * MB, "low"],
  [8 * MB, 0.07 * MB, "full"],
  [8 * MB, 0, "full"],
])("a disk of %d bytes with %d free is %s", (totalBytes, freeBytes, state) => {
  expect(storageStateOf({ totalBytes, freeBytes })).toBe(state)
})

test("the metrics of a disk have the free space, the size and each store", () => {
  const text = formatPrometheus(diskFamilies({ freeBytes: 5, totalBytes: 9 }, { database: 3, kv: 1 }))
  expect(text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))).toEqual([
    "mailverdict_disk_free_bytes 5",
    "mailverdict_disk_total_bytes 9",
    'mailverdict_disk_used_bytes{store="database"} 3',
    'mailverdict_disk_used_bytes{store="kv"} 1',
  ])
})

test("the free space is a metric while the stores cannot be measured", async () => {
  const families = await collectMetrics(
    testContext({
      clock: { now: () => 1 },
      fleet: { all: async () => [] },
      disk: { space: async () => ({ freeBytes: 5, totalBytes: 9 }), stores: async () => null },
      store: {
        metrics: { requestCounts: async () => new Map(), backlog: async () => ({ chunks: {} }) },
        counters: { since: async () => [] },
      },
    }),
  )
  const lines = formatPrometheus(families).split("\n")
  expect(lines.filter((line) => line.startsWith("mailverdict_disk"))).toEqual([
    "mailverdict_disk_free_bytes 5",
    "mailverdict_disk_total_bytes 9",
  ])
})
