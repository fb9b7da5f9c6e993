import { build, type Plugin } from "esbuild"

/**
 * Packages written for Node `require("buffer")`, which a module Worker cannot do; an import of workerd's own it can.
 * `wrangler deploy` does the same.
 */
const nodeBuffer: Plugin = {
  name: "node-buffer",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^buffer$/ }, () => ({ path: "buffer", namespace: "node-buffer" }))
    onLoad({ filter: /.*/, namespace: "node-buffer" }, () => ({ contents: 'export { Buffer } from "node:buffer"' }))
  },
}

/** Bundles a Worker into one ES module as `wrangler deploy` does. */
export async function bundleWorker({ entry, outfile }: { entry: string; outfile: string }): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    plugins: [nodeBuffer],
    sourcemap: "linked",
    logLevel: "warning",
  })
}
