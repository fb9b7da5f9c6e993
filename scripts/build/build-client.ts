import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { generateClient, OPERATIONS_FILE } from "./client-operations.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const source = join(root, "src/client")

/** Packages that the command line contains, each with the file of its license. */
const BUNDLED = { commander: "LICENSE", "get-east-asian-width": "license" }

/** The fields of this project's package.json that the package reuses. */
interface Manifest {
  readonly version: string
  readonly license: string
  /** npm refuses a publication with provenance from another repository than this one. */
  readonly repository?: { readonly type: string; readonly url: string }
  readonly dependencies: Readonly<Record<string, string>>
}

/** Builds the package `mailverdict`: one module for any runtime, its declarations, and the command line for Node. */
export async function buildClient(out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest
  const external = ["standardwebhooks"]
  const shared = { bundle: true, format: "esm", target: "es2022", logLevel: "warning", external } as const
  // A neutral platform has no node: modules, so an import of one fails here.
  await build({ ...shared, entryPoints: [join(source, "mailverdict.ts")], outdir: out, platform: "neutral" })
  await build({
    ...shared,
    entryPoints: [join(source, "cli/main.ts")],
    outfile: join(out, "cli.js"),
    platform: "node",
    define: { PACKAGE_VERSION: JSON.stringify(manifest.version) },
  })
  // The command line bundles these packages: commander, because it does not install on Node 20. Their licenses are copied.
  for (const [name, license] of Object.entries(BUNDLED))
    cpSync(join(root, "node_modules", name, license), join(out, `LICENSE-${name}`))
  cpSync(join(root, "LICENSE"), join(out, "LICENSE"))
  cpSync(join(source, "README.md"), join(out, "README.md"))
  writeDeclarations(join(out, "types"))
  writeFileSync(join(out, "package.json"), `${JSON.stringify(packageOf(manifest), null, 2)}\n`)
}

/** Declarations, not sources: a caller's compiler would check sources by its own settings and reject their imports. */
function writeDeclarations(out: string): void {
  const tsc = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript/package.json")))
  const settings = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", out]
  execFileSync(process.execPath, [tsc, "-p", source, ...settings], { stdio: "inherit" })
  rmSync(join(out, "cli"), { recursive: true })
}

function packageOf({ version, license, repository, dependencies }: Manifest): object {
  return {
    name: "mailverdict",
    version,
    description: "Client and command line of Mailverdict, the email verification service",
    keywords: ["email", "email-verification", "email-validation", "smtp", "deliverability"],
    license,
    ...(repository ? { repository: { ...repository, directory: "src/client" } } : {}),
    type: "module",
    sideEffects: false,
    engines: { node: ">=20.3" },
    bin: { mailverdict: "cli.js" },
    exports: {
      ".": { types: "./types/mailverdict.d.ts", default: "./mailverdict.js" },
      "./package.json": "./package.json",
    },
    types: "./types/mailverdict.d.ts",
    files: ["mailverdict.js", "cli.js", "types", ...Object.keys(BUNDLED).map((name) => `LICENSE-${name}`)],
    dependencies: { standardwebhooks: dependencies.standardwebhooks },
    publishConfig: { access: "public", provenance: true },
  }
}

if (import.meta.main) {
  writeFileSync(OPERATIONS_FILE, await generateClient())
  await buildClient(join(root, "dist/client"))
  console.log("Built dist/client")
}
