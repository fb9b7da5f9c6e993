import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, test } from "vitest"
import { createNetwork, startContainer } from "../support/container/container.ts"
import { copyClone, nodeImage } from "../support/container/image.ts"

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

test.each([...UNITS, self("mailverdict-connections.service"), self("mailverdict-backup.timer")])(
  "%s is valid",
  (unit) => {
    // systemd checks that the program exists, and this machine may have it elsewhere.
    const here = readFileSync(unit, "utf8").replace(/^(Exec\w+)=\S+/gm, `$1=${process.execPath}`)
    const copy = join(folder, basename(unit))
    writeFileSync(copy, here)
    expect(analyze("verify", copy)).toEqual({ status: 0, out: "" })
  },
)

test.each(UNITS)("%s exposes little of the machine: 2.0 of 10 at most", (unit) => {
  const { status, out } = analyze("security", "--offline=yes", "--threshold=20", unit)
  expect({ status, out }).toMatchObject({ status: 0, out: expect.stringContaining("Overall exposure level") })
})

test("the unit's command starts and stops the service as its user, with only the clone to write to", async () => {
  const unit = readFileSync(SERVICE, "utf8")
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)![1]!
  const at = setting("WorkingDirectory")
  const image = nodeImage(join(folder, "root"))
  execFileSync("chroot", [image.root, "useradd", "--uid", "990", "--system", "--home-dir", at, setting("User")])
  execFileSync("ln", ["-s", "/usr/local/bin/npm", join(image.root, "usr/bin/npm")])
  for (const path of [join(at, "node_modules"), "/etc/ssl/certs"])
    mkdirSync(join(image.root, path), { recursive: true })
  copyClone(["."], join(image.root, at))
  execFileSync("chroot", [image.root, "chown", "-R", "990:990", at])
  const network = createNetwork()
  const container = await startContainer({
    image: { ...image, user: "990:990", workdir: at, entrypoint: setting("ExecStart").split(" ") },
    service: {
      environment: { HOME: at },
      read_only: setting("ProtectSystem") === "strict",
      tmpfs: setting("PrivateTmp") === "yes" ? ["/tmp"] : [],
      cap_drop: setting("CapabilityBoundingSet") === "" ? ["ALL"] : [],
      cap_add: [],
      security_opt: setting("NoNewPrivileges") === "yes" ? ["no-new-privileges:true"] : [],
    },
    network,
    mounts: {
      [setting("ReadWritePaths")]: join(image.root, at),
      [join(at, "node_modules")]: join(project, "node_modules"),
      // A machine has the package ca-certificates. Minimal Debian has not.
      "/etc/ssl/certs": "/etc/ssl/certs",
    },
  })
  try {
    await expect.poll(container.log, { timeout: 150_000 }).toContain("running at")
    const verified = network.run("curl", "-fsS", "http://127.0.0.1:8787/validate?email=alice@mailbox.test")
    expect(JSON.parse(verified.out)).toMatchObject({ status: "valid" })
    expect(await container.stop()).toBe(0)
    expect(container.log()).toMatch(/SIGTERM: stopping".*"stopped"/s)
  } finally {
    await container.stop()
    network.remove()
  }
}, 300_000)
