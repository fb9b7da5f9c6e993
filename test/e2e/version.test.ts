import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, inject, test } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { call, callUnchecked } from "../support/stack/api.ts"

/** package.json has the version of this software. The interface has another. */
const { version } = manifest
const asAdmin = { headers: { "x-admin-secret": inject("adminSecret") } }

test("/health and /admin/settings have it beside the version of the interface", async () => {
  expect((await call("GET", "/health")).body).toMatchObject({ version: "6.0.0", release: version })
  expect((await call("GET", "/admin/settings", asAdmin)).body).toMatchObject({ version: "6.0.0", release: version })
})

test("the metrics have it", async () => {
  const { text } = await callUnchecked("/admin/metrics", asAdmin)
  expect(text).toContain(`\nmailverdict_build_info{version="${version}"} 1\n`)
})

test("the node reports it, and prints it", async () => {
  const { body } = await call<{ nodes: object[] }>("GET", "/fleet/nodes", asAdmin)
  expect(body.nodes).toContainEqual(expect.objectContaining({ id: "local-1", version, version_differs: false }))
  const node = fileURLToPath(new URL("../../probe-node/main.ts", import.meta.url))
  for (const word of ["--version", "version"])
    expect(execFileSync(process.execPath, [node, word], { encoding: "utf8" })).toBe(`${version}\n`)
})
