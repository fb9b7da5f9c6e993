import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type LaterMigration, writeLaterMigrations } from "./first-release.ts"

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url))
const run = promisify(execFile)

/** What a version of the small project has. */
export interface PublishedVersion {
  readonly version: string
  /** A migration after those of this project. */
  readonly migration?: LaterMigration
  /** The command of its build. */
  readonly build?: string
  /** The command of its next update. */
  readonly update?: string
  /** The command of its migrations. */
  readonly migrate?: string
  /** Whether it needs a package: one of its own folders, or one that no registry has. */
  readonly needs?: "folder" | "missing"
  readonly tag?: string
}

/**
 * A remote repository and a clone of it: a small project with the commands of this one, and with migrations of its own.
 * A test publishes versions there, and updates the clone.
 */
export class InstalledClone {
  readonly root: string
  readonly #remote: string

  private constructor(folder: string) {
    this.root = join(folder, "clone")
    this.#remote = join(folder, "remote")
  }

  /** @param folder an empty one */
  static async create(folder: string, first: PublishedVersion): Promise<InstalledClone> {
    const made = new InstalledClone(folder)
    mkdirSync(made.#remote)
    await made.#git(made.#remote, "init", "--quiet", "--initial-branch=main")
    await made.publish(first)
    await made.#git(folder, "clone", "--quiet", `file://${made.#remote}`, made.root)
    return made
  }

  /** Commits a version to the remote's main branch. */
  async publish(published: PublishedVersion): Promise<void> {
    writeProject(this.#remote, published)
    await this.#git(this.#remote, "add", "--all")
    await this.#git(this.#remote, "commit", "--quiet", "--message", `version ${published.version}`)
    if (published.tag) await this.#git(this.#remote, "tag", published.tag)
  }

  git(...args: string[]): Promise<string> {
    return this.#git(this.root, ...args)
  }

  async #git(cwd: string, ...args: string[]): Promise<string> {
    const author = ["-c", "user.name=Test", "-c", "user.email=test@mailbox.test"]
    return (await run("git", [...author, ...args], { cwd })).stdout.trimEnd()
  }
}

/** Fails when a secret or the name of its file reaches it. */
const BUILD = `node -e "process.exitCode = Object.keys(process.env).some((name) => /SECRET|PEPPER/.test(name)) ? 4 : 0"`

/** Writes the files of a version, each as an update uses it. */
export function writeProject(folder: string, published: PublishedVersion): void {
  const { version, migration, build = BUILD, update = "node -v", needs } = published
  const { migrate = "node migrate.ts" } = published
  const script = (name: string) => `node ${join(PROJECT, "scripts", name)}`
  const migrations = join(folder, "schema/migrations")
  mkdirSync(migrations, { recursive: true })
  writeLaterMigrations(migrations, migration ?? { tag: "0100_first", sql: "CREATE TABLE first_things (id text);" })
  const scripts = {
    ...{ build, update, migrate },
    ...{ backup: script("data/backup.ts"), restore: script("data/restore.ts") },
  }
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const dependencies = needs ? { added: needs === "folder" ? "file:added" : "file:missing.tgz" } : {}
  const manifest = { name: "mailverdict", version, private: true, type: "module", dependencies }
  write("package.json", JSON.stringify({ ...manifest, scripts }))
  const packages = {
    "": manifest,
    ...(needs === "missing" ? { "node_modules/added": { version: "1.0.0", resolved: "file:missing.tgz" } } : {}),
    ...(needs === "folder"
      ? { added: { version: "1.0.0" }, "node_modules/added": { resolved: "added", link: true } }
      : {}),
  }
  const lock = { name: "mailverdict", version, lockfileVersion: 3, requires: true, packages }
  write("package-lock.json", JSON.stringify(lock))
  mkdirSync(join(folder, "added"), { recursive: true })
  write("added/package.json", JSON.stringify({ name: "added", version: "1.0.0" }))
  write("CHANGELOG.md", `# Changelog\n\n## ${version}\n\n- **News**: of ${version}.\n`)
  write(".gitignore", "node_modules\ndist\n.cache*\n.env\n.data\n")
  write("wrangler.toml", readFileSync(join(PROJECT, "wrangler.toml"), "utf8"))
  write("migrate.ts", MIGRATE)
}

/** `npm run migrate` of the small project: the same code as this project's, with its own migrations. */
const MIGRATE = `
import { migrate } from "${join(PROJECT, "scripts/data/migrate.ts")}"
import { startServer } from "${join(PROJECT, "test/support/stack/first-release.ts")}"
const server = await startServer(process.env.DATA_DIR)
try {
  await migrate({ url: server.url, migrationsFolder: "schema/migrations", place: "DATA_DIR" })
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  await server.stop()
}
`
