import { readFileSync } from "node:fs"
import { parse } from "yaml"
import { z } from "zod"

const Mount = z.union([
  z.string().transform((text) => {
    const [source = "", target = "", mode] = text.split(":")
    return { source, target, read_only: mode === "ro", volume: { nocopy: false } }
  }),
  z.object({
    source: z.string(),
    target: z.string(),
    read_only: z.boolean().default(false),
    volume: z.object({ nocopy: z.boolean() }),
  }),
])
const Service = z.looseObject({
  environment: z.record(z.string(), z.string()),
  volumes: z.array(Mount),
  network_mode: z.string(),
  read_only: z.boolean(),
  tmpfs: z.array(z.string()),
  cap_drop: z.array(z.string()),
  cap_add: z.array(z.string()).default([]),
  security_opt: z.array(z.string()),
})
const Compose = z.looseObject({ services: z.record(z.string(), Service), volumes: z.record(z.string(), z.null()) })

/** A service of a compose file, with the fields that the tests use. */
export type ComposeService = z.infer<typeof Service>

/**
 * Reads a compose file.
 * @param settings values for `${NAME}`, as in the file .env beside it
 * @throws Error with the file's own text when a required setting is missing
 */
export function readCompose(path: string, settings: Readonly<Record<string, string>>): z.infer<typeof Compose> {
  const fill = (text: string) =>
    text.replace(/\$\{(\w+)(?::([?-])([^}]*))?\}/g, (_, name: string, kind: string | undefined, rest: string) => {
      const value = settings[name] || (kind === "-" ? rest : "")
      if (value === "") throw new Error(`${name}: ${rest}`)
      return value
    })
  const value = parse(readFileSync(path, "utf8"), (_, one) => (typeof one === "string" ? fill(one) : one), {
    merge: true,
  })
  return Compose.parse(value)
}
