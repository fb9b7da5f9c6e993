import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler"

/**
 * wrangler.toml as Miniflare's options, with its own variables only: wrangler would put those of .env and .dev.vars in,
 * secrets too, and what is kept of them with the build would outlast them there.
 */
export function workerOptions(config: string): object {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
  return { ...workerOptions, bindings: unstable_readConfig({ config }).vars }
}
