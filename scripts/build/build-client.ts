import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { generateClient } from "./generate-client.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const source = join(root, "src/client")
const ENTRIES = ["client", "errors", "jobs", "webhooks"] as const

/** The fields of this project's package.json that the package reuses. */
interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

/** Builds `@mailverdict/client` as a separate package: modules for any runtime, and the command line for Node. */
export async function buildClient(out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest
  const shared = { bundle: true, format: "esm", target: "es2023", logLevel: "warning" } as const
  await build({
    ...shared,
    entryPoints: ENTRIES.map((name) => join(source, `${name}.ts`)),
    outdir: out,
    splitting: true,
    platform: "neutral",
    external: ["standardwebhooks"],
  })
  await build({
    ...shared,
    entryPoints: [join(source, "cli/main.ts")],
    outfile: join(out, "cli.js"),
    platform: "node",
    define: { PACKAGE_VERSION: JSON.stringify(manifest.version) },
    external: ["standardwebhooks"],
  })
  // The command line bundles commander, whose package does not install on Node 20; only its license is copied.
  cpSync(join(root, "node_modules/commander/LICENSE"), join(out, "LICENSE-commander"))
  // Declarations, not sources: a caller's compiler would check sources by its own settings and reject their imports.
  const tsc = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript/package.json")))
  const declarations = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", join(out, "types")]
  execFileSync(process.execPath, [tsc, "-p", source, ...declarations], { stdio: "inherit" })
  writeFileSync(join(out, "package.json"), JSON.stringify(packageOf(manifest), null, 2))
}

function packageOf({ version, dependencies }: Manifest): object {
  const exported = (name: string) => ({ types: `./types/${name}.d.ts`, default: `./${name}.js` })
  return {
    name: "@mailverdict/client",
    version,
    description: "Client and command line of Mailverdict, the email verification service",
    license: "MIT",
    type: "module",
    engines: { node: ">=20.3" },
    bin: { mailverdict: "./cli.js" },
    exports: Object.fromEntries(ENTRIES.map((name) => [name === "client" ? "." : `./${name}`, exported(name)])),
    dependencies: { standardwebhooks: dependencies.standardwebhooks },
  }
}

if (import.meta.main) {
  writeFileSync(join(source, "operations.ts"), await generateClient())
  await buildClient(join(root, "dist/client"))
  console.log("Built dist/client")
}
