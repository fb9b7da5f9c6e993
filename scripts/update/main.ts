import { existsSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { fileSetting } from "../../schema/wire/secret-files.ts"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { readEnvFile, readSettingsFile, SECRETS } from "../dev/settings.ts"
import { type Change, describePlan, refuseAfterInterruption, rollBack, START, update } from "./apply.ts"
import { openClone } from "./clone.ts"
import { checkContainer, isContainer } from "./container.ts"
import { type Installation, nameOf, type UpdateRecord } from "./installation.ts"
import { planUpdate } from "./plan.ts"
import { openRelease } from "./release.ts"

const HELP = `npm run update: updates this installation, with a backup first. Stop the service before.

  npm run update -- --check              shows what would change, and changes nothing
  npm run update                         a git clone: to the newest release tag
  npm run update -- --to main            a git clone: to a tag, branch or commit
  npm run update -- --from FILE.tar.gz   an installed release: to the release in an archive
  npm run update -- --rollback           back to the version before the last update
  npm run update -- --rollback --restore the same, and back to the data of before

An update that fails leaves the version in use that it started from. DATA_DIR/updates.json records each. --rollback also
works in the folder of a former release, when the one in use is damaged.

In a container only --check works: it names the command of the host that updates. It compares the image with the archive
of --from, or with the release tags of the repository in the setting REPOSITORY.
Exit code: 0 done or nothing to do, 1 failed or refused, 2 wrong options.`

const OPTIONS = {
  check: { type: "boolean", default: false },
  to: { type: "string" },
  from: { type: "string" },
  rollback: { type: "boolean", default: false },
  restore: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"]

/** @throws Error for options that do not exist or do not go together */
function readOptions(): Options {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.restore && !values.rollback) throw new Error("--restore needs --rollback")
  if (values.rollback && (values.check || values.to || values.from))
    throw new Error("--rollback takes no other option than --restore")
  return values
}

function optionsOrEnd(): Options | null {
  try {
    return readOptions()
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`)
    process.exitCode = 2
    return null
  }
}

/** @param root the folder of package.json @throws Error when it is no installation, or belongs to another user */
function openInstallation(root: string): Installation {
  const isClone = existsSync(join(root, ".git"))
  if (!isClone && !existsSync(join(root, "release.json")))
    throw new Error(`${root} is neither a git clone nor an installed release: run the command in the installation`)
  const owner = statSync(root).uid
  const own = process.getuid?.() ?? owner
  if (isClone && owner !== own)
    throw new Error(
      `${root} belongs to another user (id ${owner}). Run as that user: sudo -u '#${owner}' npm run update`,
    )
  return isClone ? openClone(root) : openRelease(root)
}

/**
 * The settings for commands that run in another folder: those of the settings file too, with absolute paths. Each command
 * reads the secrets in files itself.
 */
function environmentOfCommands() {
  readSettingsFile()
  const files = SECRETS.map(fileSetting).flatMap((name) =>
    process.env[name] ? [[name, resolve(process.env[name])]] : [],
  )
  return { ...process.env, ...Object.fromEntries(files), DATA_DIR: resolve(process.env.DATA_DIR || ".data") }
}

async function work({ check, to, from, rollback, restore }: Options): Promise<void> {
  const environment = environmentOfCommands()
  readEnvFile()
  useProxyFromEnvironment()
  const onStep = (step: string) => console.log(`- ${step}`)
  if (isContainer()) {
    const place = { dataDir: environment.DATA_DIR, settings: process.env, onStep }
    const { report: text, isReady } = await checkContainer(process.cwd(), { check, to, from }, place)
    console.log(text)
    if (!isReady) process.exitCode = 1
    return
  }
  const installation = openInstallation(process.cwd())
  const change: Change = {
    installation,
    dataDir: environment.DATA_DIR,
    settings: process.env,
    environment,
    now: () => new Date(),
    onStep,
  }
  if (rollback) return report("Went back", await rollBack(change, { restores: restore === true }))
  if (!check) refuseAfterInterruption(change)
  const target = await installation.findTarget({ to, from }, change.onStep)
  if (!target) return console.log(`Nothing to update: ${nameOf(await installation.current())} is in use.`)
  if (!check) return report("Updated", await update(change, target))
  const plan = await planUpdate(installation, target, change)
  console.log(describePlan(plan))
  if (plan.problems.length > 0) process.exitCode = 1
}

function report(done: string, { kind, from, to, backup }: UpdateRecord): void {
  const back = kind === "update" ? "\nGo back: npm run update -- --rollback" : ""
  console.log(`${done} from ${nameOf(from)} to ${nameOf(to)}.`)
  if (backup) console.log(`The backup is in ${backup}. It contains secrets.`)
  console.log(`Start the service: ${START}${back}`)
}

const options = optionsOrEnd()
if (options?.help) console.log(HELP)
else if (options) {
  // Ctrl+C and the end of an ssh connection also end the command that runs now. The update then ends in order, which a
  // second signal and a closed terminal must not interrupt.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined)
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
  try {
    await work(options)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
