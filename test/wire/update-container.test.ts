import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { checkContainer } from "../../scripts/update/container.ts"

const PROJECT = fileURLToPath(new URL("../..", import.meta.url))
const SCRIPT = "scripts/self-hosting/update-container.sh"
const folder = mkdtempSync(join(tmpdir(), "mailverdict-update-container-"))
afterAll(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd, stdio: "pipe" })

/** A repository with release tags. @returns its folder */
function repository(...tags: string[]): string {
  const root = mkdtempSync(join(folder, "repository-"))
  git(root, "init", "-q")
  for (const tag of tags) {
    write(join(root, "version"), tag)
    write(join(root, SCRIPT), readFileSync(join(PROJECT, SCRIPT), "utf8"))
    git(root, "add", ".")
    git(root, "commit", "-qm", tag)
    git(root, "tag", "-a", tag, "-m", tag)
  }
  return root
}

describe("--check in a container", () => {
  /** Serves the tags of a repository as git's HTTP server does. @returns the URL of the repository */
  async function serve(root: string): Promise<string> {
    const server = createServer(({ url }, response) => {
      if (url !== "/mailverdict/info/refs?service=git-upload-pack") return response.writeHead(404).end()
      const refs = execFileSync("git", ["upload-pack", "--stateless-rpc", "--advertise-refs", root])
      return response.end(Buffer.concat([Buffer.from("001e# service=git-upload-pack\n0000"), refs]))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mailverdict`
  }

  const check = (commit: string | null, settings: Record<string, string>) => {
    const root = mkdtempSync(join(folder, "image-"))
    write(join(root, "release.json"), JSON.stringify({ version: "0.9.0", commit, arch: "x64" }))
    return checkContainer(root, { check: true }, { dataDir: root, settings, onStep: () => undefined })
  }

  test("names the newest release and the host's command for it", async () => {
    const REPOSITORY = await serve(repository("v0.9.0", "v0.10.0", "v0.10.0-rc.1"))
    const { report } = await check("a".repeat(40), { REPOSITORY })
    expect(report).toMatch(/^0\.10\.0 is newer than 0\.9\.0, .*\n {2}sh \S+ mailverdict-0\.10\.0-linux-x64\.tar\.gz$/)
    expect((await check(null, { REPOSITORY: `${REPOSITORY}/` })).report).toMatch(/update-container\.sh v0\.10\.0$/)
  })

  test("says when the newest release is in use", async () => {
    const REPOSITORY = await serve(repository("v0.2.0", "v0.9.0"))
    expect((await check(null, { REPOSITORY })).report).toBe(
      "Nothing to update: 0.9.0 is in use, and 0.9.0 is the newest release.",
    )
  })

  test("says which setting it needs, and when the repository cannot be read", async () => {
    await expect(check(null, {})).rejects.toThrow("Set REPOSITORY to the URL of the repository, or name an archive")
    const REPOSITORY = await serve(repository("v0.9.0"))
    await expect(check(null, { REPOSITORY: `${REPOSITORY}-private` })).rejects.toThrow("REPOSITORY answers 404")
    await expect(check(null, { REPOSITORY: "http://127.0.0.1:1" })).rejects.toThrow("REPOSITORY cannot be read: ")
  })
})

describe("update-container.sh", () => {
  const bin = join(folder, "bin")
  const log = join(folder, "docker.log")
  // Docker itself is not part of this test. The last argument of a command that fails is in the file "refused".
  write(
    join(bin, "docker"),
    `#!/bin/sh\necho "$*" >>${log}\ncase " $* " in *" $(cat ${folder}/refused) "*) exit 1 ;; esac\n`,
  )
  chmodSync(join(bin, "docker"), 0o755)
  const BACKUP = "compose run -T --rm --no-deps --entrypoint npm api run -s backup"
  const UP = "compose up -d --build --wait"
  const commands = () => readFileSync(log, "utf8").trim().split("\n")

  beforeEach(() => {
    writeFileSync(log, "")
    writeFileSync(join(folder, "refused"), "none")
  })

  function update(root: string, ...args: string[]) {
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder }
    const { status, stderr } = spawnSync("sh", [join(root, SCRIPT), ...args], { cwd: folder, env, encoding: "utf8" })
    return { status, stderr }
  }

  /** An unpacked release with the operator's settings. @returns its folder */
  function installed(): string {
    const root = mkdtempSync(join(folder, "installed-"))
    mkdirSync(join(root, "scripts/self-hosting"), { recursive: true })
    copyFileSync(join(PROJECT, SCRIPT), join(root, SCRIPT))
    for (const path of ["scripts/self-hosting/.env", "node_modules/old/index.js", "dist/old.js", "release.json"])
      write(join(root, path), "old")
    return root
  }

  /** Packs a release into the folder. @returns the name of the archive */
  function pack(): string {
    const name = "mailverdict-0.2.0-linux-x64.tar.gz"
    write(join(folder, "mailverdict-0.2.0/release.json"), "new")
    write(join(folder, "mailverdict-0.2.0/node_modules/new/index.js"), "new")
    execFileSync("tar", ["-czf", name, "mailverdict-0.2.0"], { cwd: folder })
    writeFileSync(join(folder, `${name}.sha256`), execFileSync("sha256sum", [name], { cwd: folder }))
    return name
  }

  test("backs up, replaces the release by the archive's and keeps the settings", () => {
    const root = installed()
    expect(update(root, pack())).toEqual({ status: 0, stderr: "" })
    expect(commands()).toEqual([BACKUP, UP])
    expect(readFileSync(join(root, "release.json"), "utf8")).toBe("new")
    expect(existsSync(join(root, "node_modules/new/index.js"))).toBe(true)
    for (const path of ["node_modules/old", "dist"]) expect(existsSync(join(root, path))).toBe(false)
    expect(readFileSync(join(root, "scripts/self-hosting/.env"), "utf8")).toBe("old")
  })

  test("changes nothing when the archive is damaged or the backup fails, unless it is told to go on without one", () => {
    const root = installed()
    const archive = pack()
    writeFileSync(join(folder, "refused"), "backup")
    expect(update(root, archive).status).not.toBe(0)
    expect(commands()).toEqual([BACKUP])
    expect(readFileSync(join(root, "release.json"), "utf8")).toBe("old")
    writeFileSync(log, "")
    expect(update(root, archive, "--without-backup")).toEqual({ status: 0, stderr: "" })
    expect(commands()).toEqual([UP])
    writeFileSync(log, "")
    writeFileSync(join(folder, archive), "damaged")
    expect(update(root, archive)).toMatchObject({ status: 1, stderr: expect.stringContaining("did NOT match") })
    expect(readFileSync(log, "utf8")).toBe("")
  })

  test("checks a tag out in a clone, and refuses one that does not exist", () => {
    const origin = repository("v0.1.0")
    const root = join(folder, "clone")
    git(folder, "clone", "-q", origin, root)
    write(join(origin, "version"), "v0.2.0")
    git(origin, "commit", "-qam", "later")
    git(origin, "tag", "v0.2.0")
    expect(update(root, "v0.3.0")).toEqual({ status: 1, stderr: "there is no tag v0.3.0\n" })
    expect(readFileSync(log, "utf8")).toBe("")
    expect(update(root, "v0.2.0")).toMatchObject({ status: 0 })
    expect(readFileSync(join(root, "version"), "utf8")).toBe("v0.2.0")
    expect(commands()).toEqual([BACKUP, UP])
  })
})
