import type { Miniflare } from "miniflare"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startEdgeWorker } from "../support/stack/edge-worker.ts"
import { ENTRIES } from "./write-behind-worker.ts"

let worker: Miniflare

beforeAll(async () => {
  worker = await startEdgeWorker(new URL("write-behind-worker.ts", import.meta.url), "writeBehindWorker")
})

afterAll(() => worker?.dispose())

test("entries of requests that have answered are stored once, in fewer writes than requests", async () => {
  const url = await worker.ready
  const entries = Array.from({ length: ENTRIES }, (_, n) => `${n}`)
  const answers = await Promise.all(entries.map((entry) => fetch(new URL(`/?entry=${entry}`, url))))
  expect(answers.map(({ status }) => status)).toEqual(entries.map(() => 200))
  const state = async () => (await (await fetch(url)).json()) as { stored: string[]; writes: number }
  await expect.poll(async () => (await state()).stored.toSorted()).toEqual(entries.toSorted())
  expect((await state()).writes).toBeLessThan(entries.length)
})
