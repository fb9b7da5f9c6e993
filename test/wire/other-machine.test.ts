import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type S3Server, startS3 } from "../support/providers/s3-server.ts"
import * as installed from "../support/stack/installation-folder.ts"

const PEPPER = "the pepper of the former machine, 32 letters"
const folder = mkdtempSync(join(tmpdir(), "mailverdict-other-machine-"))
/** Backups of two former machines: with generated secrets, and with KEY_PEPPER in the settings. */
const generated = join(folder, "generated")
const pepperSet = join(folder, "pepper-set")
let s3: S3Server

/** Runs a command on a former machine. */
async function onFormer(words: string[], env: Record<string, string>): Promise<void> {
  const { ok, out } = await installed.runData(words, { cwd: folder, env, asService: false })
  expect(ok, out).toBe(true)
}

beforeAll(async () => {
  chmodSync(folder, 0o755)
  s3 = await startS3()
  await installed.writeInstallation(join(folder, "one"), "of the former machine")
  await onFormer(["backup", generated], { DATA_DIR: join(folder, "one") })
  await installed.writeInstallation(join(folder, "two"), "with its own pepper", PEPPER)
  const env = { DATA_DIR: join(folder, "two"), KEY_PEPPER: PEPPER, ...s3.settings }
  await onFormer(["backup", pepperSet], env)
  await onFormer(["backup", "--to", "s3://backups/two"], env)
})
afterAll(async () => {
  await s3.stop()
  rmSync(folder, { recursive: true, force: true })
})

let count = 0
/** The folder of the program on the new machine. It belongs to the service's user and holds the data folder. */
let machine: string
let dataDir: string
beforeEach(() => {
  machine = join(folder, `machine-${count++}`)
  dataDir = join(machine, ".data")
  installed.giveToService(machine)
})

async function firstStart(): Promise<void> {
  await installed.writeInstallation(dataDir, "of the first start")
  writeFileSync(join(dataDir, "owner-key"), "of the first start")
  mkdirSync(join(dataDir, "workerd"))
  installed.giveToService(dataDir)
}

/** Copies a backup to the new machine, closed to all but its owner. */
function bring(backup: string, { asService }: { asService: boolean }): string {
  const brought = join(machine, "brought")
  cpSync(backup, brought, { recursive: true })
  if (asService) installed.giveToService(brought)
  return brought
}

const run = (words: string[], { asService = true, env = {} }: { asService?: boolean; env?: Record<string, string> }) =>
  installed.runData(words, { cwd: machine, env, asService })

describe.each(["the service's user", ...installed.AS_ROOT])("by %s", (user) => {
  const asService = user !== "root"

  test("a backup is restored before the first start", async () => {
    const brought = bring(generated, { asService })
    expect(await run(["restore", brought], { asService })).toEqual({ ok: true, out: `Restored ${brought} to .data.\n` })
    expect(installed.noteIn(dataDir)).toBe("of the former machine")
    expect(installed.foreignIn(dataDir)).toEqual([])
    expect((statSync(dataDir).mode & 0o777).toString(8)).toBe("700")
  })

  test("a backup is restored after a first start, whose data and owner's key are set aside", async () => {
    await firstStart()
    const { ok, out } = await run(["restore", bring(generated, { asService })], { asService })
    expect(out).toContain("The former data is in .data/before-restore-")
    expect(ok).toBe(true)
    const aside = join(dataDir, readdirSync(dataDir).find((name) => name.startsWith("before-restore-"))!)
    expect(readdirSync(aside).toSorted()).toEqual(["mailverdict.db", "owner-key", "secrets.json"])
    expect(installed.foreignIn(dataDir)).toEqual([])
    expect([installed.noteIn(dataDir), installed.noteIn(aside)]).toEqual([
      "of the former machine",
      "of the first start",
    ])
    expect(["owner-key", "workerd"].filter((name) => existsSync(join(dataDir, name)))).toEqual([])
  })

  test("a backup leaves nothing that stops the next one by the service's user", async () => {
    await firstStart()
    for (const by of [asService, true]) {
      const { ok, out } = await run(["backup", "--keep", "9"], { asService: by })
      expect(ok, out).toBe(true)
      expect(installed.foreignIn(dataDir)).toEqual([])
    }
  })
})

test("a backup that is closed to the user is named with the reason, and nothing changes", async () => {
  await firstStart()
  const before = readdirSync(dataDir)
  const brought = bring(generated, { asService: true })
  const refused = {
    ok: false,
    out: expect.stringMatching(/this user cannot read it \(EACCES\)\. Run this as root, or/),
  }
  chmodSync(join(brought, "secrets.json"), 0)
  expect(await run(["restore", brought], {})).toEqual(refused)
  chmodSync(brought, 0)
  expect(await run(["restore", brought], {})).toEqual(refused)
  chmodSync(dataDir, 0)
  const backup = { ok: false, out: expect.stringMatching(/cannot be read \(EACCES\): run this as the service's user/) }
  expect(await run(["backup"], {})).toEqual(backup)
  for (const path of [dataDir, brought]) chmodSync(path, 0o700)
  expect(readdirSync(dataDir)).toEqual(before)
})

test("a damaged database is set aside, too", async () => {
  await firstStart()
  writeFileSync(join(dataDir, "mailverdict.db"), "not a database")
  expect(await run(["restore", bring(generated, { asService: true })], {})).toMatchObject({ ok: true })
  expect(installed.noteIn(dataDir)).toBe("of the former machine")
})

describe("with the former machine's KEY_PEPPER in no settings file", () => {
  test("a backup in a folder names its secrets", async () => {
    const { ok, out } = await run(["restore", bring(pepperSet, { asService: true })], {})
    expect(ok).toBe(false)
    expect(out).toContain(`copy the lines of ${join(machine, "brought/secrets.env")} into the settings (.env, or`)
  })

  test("a backup at S3 leaves them on the machine until it is restored", async () => {
    const name = [...s3.objects.keys()][0]!.split("/")[2]!
    const address = `s3://backups/two/${name}`
    const refused = await run(["restore", address], { env: s3.settings })
    const secrets = /copy the lines of (\S+) into the settings/.exec(refused.out)?.[1]
    expect(secrets, refused.out).toBe(`.data/backups/${name}.upload/secrets.env`)
    expect(readdirSync(join(dataDir, `backups/${name}.upload`))).toEqual(["secrets.env", "secrets.json"])
    cpSync(join(machine, secrets!), join(machine, ".env"))
    installed.giveToService(machine)
    expect(await run(["restore", address], { env: s3.settings })).toMatchObject({ ok: true })
    expect(installed.noteIn(dataDir)).toBe("with its own pepper")
    expect(readdirSync(join(dataDir, "backups"))).toEqual([])
  })
})
