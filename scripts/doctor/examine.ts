import { existsSync, readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import { readConfig } from "../../src/env.ts"
import { unknownNames, withSecretFiles } from "../dev/env-file.ts"
import type { Finding } from "./finding.ts"
import { reach } from "./reach.ts"
import { forProduction, malformed } from "./settings.ts"

/** The fields of wrangler.toml that the doctor reads. wrangler's own type needs packages that are not installed. */
interface WranglerConfig {
  readonly name?: string
  readonly services: readonly { readonly binding: string; readonly service: string }[]
  readonly vars: Readonly<Record<string, unknown>>
  readonly kv_namespaces: readonly { readonly binding: string; readonly id?: string }[]
}

/** The placeholder id of a namespace that does not exist yet. */
const NO_NAMESPACE = /^0+$/

export interface Examined {
  /** The environment. Its values take precedence over those of the files. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Paths of the settings file, which may be missing, and of wrangler.toml. */
  readonly files: { readonly env: string; readonly config: string }
  /** Settings only: no call to another host. */
  readonly isOffline: boolean
}

/** Checks whether a service with these settings is ready for production. */
export async function examine({ environment, files, isOffline }: Examined): Promise<Finding[]> {
  // A release is no clone: it has neither wrangler nor a configuration for Cloudflare.
  const { unstable_readConfig } = await import("wrangler")
  const wrangler: WranglerConfig = unstable_readConfig({ config: files.config })
  const vars = Object.fromEntries(Object.entries(wrangler.vars).map(([name, value]) => [name, String(value)]))
  const own = existsSync(files.env) ? parseEnv(readFileSync(files.env, "utf8")) : {}
  const { env: given, problems } = withSecretFiles({ ...vars, ...own, ...environment })
  const namespaces = wrangler.kv_namespaces.map(({ binding, id }): Finding => {
    const isCreated = id !== undefined && !NO_NAMESPACE.test(id)
    const missing = `has no id: run \`wrangler kv namespace create ${binding}\` and write the id to wrangler.toml`
    return { about: `KV ${binding}`, result: isCreated ? "ok" : "fail", detail: isCreated ? "has an id" : missing }
  })
  const foreign = wrangler.services
    .filter(({ service }) => service !== wrangler.name)
    .map(({ binding }): Finding => {
      const detail = "names another Worker: set service to the name at the top of wrangler.toml"
      return { about: `service ${binding}`, result: "fail", detail }
    })
  const unknown = unknownNames(files.env).map((about): Finding => {
    return { about, result: "warn", detail: `is in ${files.env} but is not a setting: check its spelling` }
  })
  const unread = problems.map((problem): Finding => {
    const [, about = problem, detail = ""] = /^(\S+?):? (.*)$/s.exec(problem) ?? []
    return { about, result: "fail", detail }
  })
  const parts = [...namespaces, ...foreign, ...unknown, ...unread]
  const read = await readConfig(given)
  if (!read.ok) return [...parts, ...malformed(read.problems, given)]
  const settings = forProduction({ given, config: read.config, vars })
  return [...parts, ...settings, ...(isOffline ? [] : await reach(read.config))]
}
