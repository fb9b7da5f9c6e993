import { resolve } from "node:path"
import { build } from "esbuild"
import { convertV4MiniflareOptions, Miniflare } from "miniflare"

/** Runs `callService` in a Worker: workerd.ts FOLDER URL KEY. The folder has calls.js and the installed package. */
const [folder = "", baseUrl, apiKey] = process.argv.slice(2)
const SOURCE = `
import { callService } from "./calls.js"
export default { fetch: async (request) => new Response(await callService(...(await request.json()))) }`

const { outputFiles } = await build({
  stdin: { contents: SOURCE, resolveDir: resolve(folder) },
  bundle: true,
  write: false,
  format: "esm",
  target: "es2022",
  logLevel: "warning",
})
const worker = new Miniflare(
  convertV4MiniflareOptions({
    host: "127.0.0.1",
    // Newer Workers have globals of Node, which the client must not need.
    compatibilityDate: "2024-01-01",
    modules: [{ type: "ESModule", path: "worker.mjs", contents: outputFiles[0]!.text }],
  }),
)
try {
  const response = await worker.dispatchFetch("http://worker.test/", {
    method: "POST",
    body: JSON.stringify([baseUrl, apiKey]),
  })
  console.log(await response.text())
} finally {
  await worker.dispose()
}
