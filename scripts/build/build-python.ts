import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { generatePython } from "./generate-python.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const source = join(root, "src/client-python")
const tools = join(root, ".cache/python/tools")
const bin = join(tools, "bin")

const run = (command: string, args: readonly string[]) =>
  execFileSync(command, args, { stdio: ["ignore", "inherit", "inherit"] })

/** Installs the locked tools, unless they are already there. Needs Python 3.10 or later, and PyPI for the first time. */
function ensureTools(): void {
  const lock = join(source, "requirements/tools.txt")
  const stamp = join(tools, "installed-from")
  const digest = createHash("sha256").update(readFileSync(lock)).digest("hex")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return
  run("python3", ["-m", "venv", "--clear", tools])
  run(join(bin, "pip"), ["install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", lock])
  writeFileSync(stamp, digest)
}

/** Builds the package `mailverdict` for PyPI: a wheel, and the archive of its sources with the generated modules. */
function buildPython(out: string): void {
  ensureTools()
  generatePython(bin)
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-python-"))
  try {
    for (const part of ["mailverdict", "pyproject.toml", "README.md"])
      cpSync(join(source, part), join(folder, part), { recursive: true })
    cpSync(join(root, "LICENSE"), join(folder, "LICENSE"))
    rmSync(out, { recursive: true, force: true })
    // Without isolation, the build uses the locked backend instead of the newest one.
    run(join(bin, "python"), ["-m", "build", "--no-isolation", "--outdir", out, folder])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) buildPython(join(root, "dist/python"))
