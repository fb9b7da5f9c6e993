import type { Miniflare } from "miniflare"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startEdgeWorker } from "../support/stack/edge-worker.ts"

let worker: Miniflare

beforeAll(async () => {
  worker = await startEdgeWorker(new URL("fair-limiter-worker.ts", import.meta.url), "limiterWorker")
})

afterAll(() => worker?.dispose())

test("requests that wait for each other in one isolate are all answered", async () => {
  const url = await worker.ready
  const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(url)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
})

test("clients that hang up while they wait do not keep the turn of others", async () => {
  const url = await worker.ready
  const ending = new AbortController()
  const gone = Array.from({ length: 50 }, () => fetch(url, { signal: ending.signal }).catch(() => null))
  const stays = Array.from({ length: 50 }, () => fetch(url))
  ending.abort()
  const answers = await Promise.all(stays)
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  await Promise.all(gone)
})
