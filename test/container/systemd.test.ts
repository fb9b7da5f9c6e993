import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, inject, test } from "vitest"
import { createNetwork, startContainer } from "../support/container/container.ts"
import { nodeImage } from "../support/container/image.ts"
import { unpackRelease } from "../support/container/release-once.ts"

const project = fileURLToPath(new URL("../..", import.meta.url))
const SERVICE = join(project, "scripts/self-hosting/mailverdict.service")
const self = (name: string) => join(project, "scripts/self-hosting", name)
const UNITS = [SERVICE, self("mailverdict-backup.service"), join(project, "probe-node/mailverdict-probe.service")]

const folder = mkdtempSync(join(tmpdir(), "mailverdict-systemd-"))
afterAll(() => void execFileSync("rm", ["-rf", folder]), 120_000)

function analyze(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync("systemd-analyze", [command, ...args], { encoding: "utf8" })
  return { status, out: stdout + stderr }
}

/** Copies a unit to a place where systemd finds its program: it may be elsewhere on this machine. */
function here(unit: string, at: string): string {
  mkdirSync(dirname(at), { recursive: true })
  writeFileSync(at, readFileSync(unit, "utf8").replace(/^(Exec\w+)=\/\S+/gm, `$1=${process.execPath}`))
  return at
}

test.each([...UNITS, self("mailverdict-connections.service"), self("mailverdict-backup.timer")])(
  "%s is valid",
  (unit) => {
    expect(analyze("verify", here(unit, join(folder, basename(unit))))).toEqual({ status: 0, out: "" })
  },
)

test("the unit is valid with the drop-in of a clone", () => {
  const unit = here(SERVICE, join(folder, "clone/mailverdict.service"))
  here(join(dirname(SERVICE), "mailverdict-clone.conf"), `${unit}.d/clone.conf`)
  expect(analyze("verify", unit)).toEqual({ status: 0, out: "" })
})

test.each(UNITS)("%s exposes little of the machine: 2.0 of 10 at most", (unit) => {
  const { status, out } = analyze("security", "--offline=yes", "--threshold=20", unit)
  expect({ status, out }).toMatchObject({ status: 0, out: expect.stringContaining("Overall exposure level") })
})

/** Unpacks the release. @returns the root, its size in bytes, and its files */
function unpack(into: string) {
  unpackRelease(inject("releaseArchive"), into)
  const size = Number(
    execFileSync("du", ["-s", "--apparent-size", "--block-size=1", into], { encoding: "utf8" }).split("\t")[0],
  )
  const files = execFileSync("find", [".", "-type", "f"], { cwd: into, encoding: "utf8" }).split("\n")
  return { size, files: files.map((path) => path.slice(2)) }
}

test("the release has its digest beside it, everything that the guide names, and less than 250 MB", () => {
  const archive = inject("releaseArchive")
  execFileSync("sha256sum", ["--check", "--quiet", `${archive}.sha256`], { cwd: dirname(archive) })
  const { size, files } = unpack(join(folder, "release"))
  expect(size).toBeLessThan(250_000_000)
  const named = ["docs/self-hosting.md", "README.md", "LICENSE", "CHANGELOG.md", ".env.example", "release.json"]
  const programs = ["dist/probe-node.mjs", "dist/client/cli.js", "scripts/dev/start.ts"]
  const units = ["mailverdict.service", "mailverdict-clone.conf", "Caddyfile"].map(
    (name) => `scripts/self-hosting/${name}`,
  )
  expect(files).toEqual(expect.arrayContaining([...named, ...programs, ...units]))
  expect(
    files.filter((path) => /(^|\/)[^/]*\.env$|\.map$|node_modules\/(esbuild|vite|wrangler|typescript)\//.test(path)),
  ).toEqual([])
})

test("a release starts by the unit's command as its user, without a network and with only its data to write to", async () => {
  const unit = readFileSync(SERVICE, "utf8")
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)![1]!
  const image = nodeImage(join(folder, "root"))
  const at = setting("WorkingDirectory")
  unpack(join(image.root, dirname(at), "releases/one"))
  symlinkSync("releases/one", join(image.root, at))
  const release = join(image.root, dirname(at), "releases/one")
  execFileSync("cp", ["-al", release, join(image.root, "srv/trial")])
  execFileSync("chroot", [image.root, "useradd", "--uid", "990", "--system", setting("User")])
  const data = join("/var/lib", setting("StateDirectory"))
  for (const path of [data, "/etc/ssl/certs"]) mkdirSync(join(image.root, path), { recursive: true })
  execFileSync("chroot", [image.root, "chown", "990:990", data])
  const settings = join(image.root, setting("EnvironmentFile"))
  mkdirSync(dirname(settings))
  writeFileSync(settings, "LOG_FORMAT=json\n")
  // The machine's own Node alone: no npm and no build tool.
  mkdirSync(join(image.root, "opt/node"))
  copyFileSync(process.execPath, join(image.root, "opt/node/node"))
  const network = createNetwork()
  const container = await startContainer({
    image: { ...image, user: "990:990", workdir: at, entrypoint: setting("ExecStart").split(" ") },
    service: {
      environment: { PATH: "/opt/node", DATA_DIR: data, HOME: "/nonexistent" },
      read_only: setting("ProtectSystem") === "strict",
      tmpfs: setting("PrivateTmp") === "yes" ? ["/tmp"] : [],
      cap_drop: setting("CapabilityBoundingSet") === "" ? ["ALL"] : [],
      cap_add: [],
      security_opt: setting("NoNewPrivileges") === "yes" ? ["no-new-privileges:true"] : [],
    },
    network,
    mounts: {
      [data]: join(image.root, data),
      // A machine has the package ca-certificates. Minimal Debian has not.
      "/etc/ssl/certs": "/etc/ssl/certs",
    },
  })
  try {
    await expect.poll(container.log, { timeout: 60_000 }).toContain("running at")
    const verified = network.run("curl", "-fsS", "http://127.0.0.1:8787/validate?email=alice@mailbox.test")
    expect(JSON.parse(verified.out)).toMatchObject({ status: "valid" })
    // A command of an operator, without the unit's environment.
    const backup = container.exec("/usr/bin/env", "-u", "DATA_DIR", "node", "scripts/data/backup.ts")
    expect(backup).toMatchObject({ code: 0, out: expect.stringContaining(`Backed up to ${data}/backups/`) })
    // A release that is tried elsewhere has its own settings and data.
    const trial = container.exec("/usr/bin/env", "-u", "DATA_DIR", "-C", "/srv/trial", "node", "scripts/data/backup.ts")
    expect(trial).toMatchObject({ code: 1, out: expect.stringContaining("no database at .data/mailverdict.db") })
    // Only systemd may have read the settings for a process that cannot.
    chmodSync(settings, 0o600)
    const closed = container.exec("node", "scripts/data/backup.ts")
    expect(closed).toMatchObject({
      code: 78,
      out: expect.stringMatching(/mailverdict\.env: this user cannot read it\. It belongs to user 0, with mode 600\./),
    })
    const byUnit = container.exec("/usr/bin/env", "INVOCATION_ID=1", "node", "scripts/data/backup.ts")
    expect(byUnit).toMatchObject({ code: 0, out: expect.stringContaining(`Backed up to ${data}/backups/`) })
    expect(await container.stop()).toBe(0)
    expect(container.log()).toMatch(/SIGTERM: stopping".*"stopped"/s)
  } finally {
    await container.stop()
    network.remove()
  }
}, 300_000)
