import { unstable_readConfig } from "wrangler"
import { z } from "zod"

/** The part of wrangler.toml that the local runtime needs. */
export interface WorkerConfig {
  readonly name: string
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  /** Variables in the file itself. */
  readonly vars: Readonly<Record<string, string>>
  readonly kvNamespaces: readonly { readonly binding: string; readonly id: string }[]
  readonly durableObjects: readonly { readonly binding: string; readonly className: string }[]
  /** Entry points of the same Worker. */
  readonly entrypoints: readonly { readonly binding: string; readonly entrypoint: string }[]
  readonly queueProducers: readonly { readonly binding: string; readonly queue: string }[]
  readonly queueConsumers: readonly QueueConsumer[]
  readonly crons: readonly string[]
  /** The binding of the built files. */
  readonly assetsBinding: string
}

export interface QueueConsumer {
  readonly queue: string
  readonly maxBatchSize?: number | undefined
  /** Seconds. */
  readonly maxBatchTimeout?: number | undefined
  readonly maxRetries?: number | undefined
}

/** wrangler.toml as wrangler reads it. Bindings that the local runtime does not support must be absent. */
const none = z.union([z.array(z.unknown()).max(0), z.strictObject({})], "not supported by npm start").optional()
const WranglerConfig = z.looseObject({
  name: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  vars: z.record(z.string(), z.string()),
  kv_namespaces: z.array(z.looseObject({ binding: z.string(), id: z.string() })),
  durable_objects: z.looseObject({ bindings: z.array(z.looseObject({ name: z.string(), class_name: z.string() })) }),
  services: z.array(z.looseObject({ binding: z.string(), service: z.string(), entrypoint: z.string() })).default([]),
  queues: z.looseObject({
    producers: z.array(z.looseObject({ binding: z.string(), queue: z.string() })).default([]),
    consumers: z
      .array(
        z.looseObject({
          queue: z.string(),
          max_batch_size: z.int().optional(),
          max_batch_timeout: z.number().optional(),
          max_retries: z.int().optional(),
        }),
      )
      .default([]),
  }),
  triggers: z.looseObject({ crons: z.array(z.string()).default([]) }),
  assets: z.looseObject({ binding: z.string() }),
  analytics_engine_datasets: none,
  d1_databases: none,
  hyperdrive: none,
  r2_buckets: none,
  vectorize: none,
  workflows: none,
})

/**
 * Reads wrangler.toml. Ignores .env and .dev.vars: the result is stored with the build, where secrets would outlive
 * those files.
 * @throws Error that names a missing field, or a binding that `npm start` does not support
 */
export function readWorkerConfig(path: string): WorkerConfig {
  const read = WranglerConfig.safeParse(unstable_readConfig({ config: path }))
  if (!read.success) throw new Error(`${path}: ${z.prettifyError(read.error)}`)
  const config = read.data
  const { name } = config
  const foreign = config.services.find(({ service }) => service !== name)
  if (foreign) throw new Error(`${path}: service ${foreign.binding} is another Worker; npm start runs ${name} only`)
  return {
    name,
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    vars: config.vars,
    kvNamespaces: config.kv_namespaces.map(({ binding, id }) => ({ binding, id })),
    durableObjects: config.durable_objects.bindings.map((one) => ({ binding: one.name, className: one.class_name })),
    entrypoints: config.services.map(({ binding, entrypoint }) => ({ binding, entrypoint })),
    queueProducers: config.queues.producers.map(({ binding, queue }) => ({ binding, queue })),
    queueConsumers: config.queues.consumers.map((one) => ({
      queue: one.queue,
      maxBatchSize: one.max_batch_size,
      maxBatchTimeout: one.max_batch_timeout,
      maxRetries: one.max_retries,
    })),
    crons: config.triggers.crons,
    assetsBinding: config.assets.binding,
  }
}
