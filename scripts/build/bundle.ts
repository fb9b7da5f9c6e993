import { build, type Plugin } from "esbuild"

/**
 * Replaces `require("buffer")` of CommonJS packages, which a module Worker does not support, by an import of
 * node:buffer. `wrangler deploy` does the same.
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
