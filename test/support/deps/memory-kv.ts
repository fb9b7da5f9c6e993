import type { ReadableKv, WritableKv } from "../../../src/adapters/cache.ts"

/** An in-memory KV namespace that records its operations. @param before delays an operation */
export function memoryKv(before: (operation: string) => Promise<void> = async () => undefined) {
  const entries = new Map<string, string>()
  const operations: string[] = []
  const begin = (operation: string) => {
    operations.push(operation)
    return before(operation)
  }
  const metadata = new Map<string, unknown>()
  const read = (key: string) => ({ value: entries.get(key) ?? null, metadata: metadata.get(key) ?? null })
  async function getWithMetadata(keys: string | string[]) {
    const found = typeof keys === "string" ? read(keys) : new Map(keys.map((key) => [key, read(key)]))
    await begin(`get ${typeof keys === "string" ? 1 : keys.length}`)
    return found
  }
  const kv: ReadableKv & WritableKv = {
    getWithMetadata: getWithMetadata as ReadableKv["getWithMetadata"],
    async put(key, value, options) {
      await begin(options ? `put for ${options.expirationTtl}` : "put")
      metadata.set(key, options?.metadata)
      entries.set(key, value)
    },
    async delete(key) {
      await begin("delete")
      entries.delete(key)
    },
  }
  return { kv, entries, operations }
}
