import { basename, resolve } from "node:path"
import { rootCause } from "../../src/errors.ts"
import { type Change, describePlan } from "./apply.ts"
import { nameOf, type Wanted } from "./installation.ts"
import { planUpdate } from "./plan.ts"
import { codeIn, manifestIn, targetIn } from "./release.ts"

/** scripts/self-hosting/Dockerfile sets it. */
export const isContainer = (): boolean => process.env.IN_CONTAINER === "1"

/** Updates the container on the host, because the files of an image do not change. */
const HOST_COMMAND = "sh /opt/mailverdict/scripts/self-hosting/update-container.sh"
/** A line of git's answer: a commit, then the name of a tag (gitprotocol-http, "Smart Clients"). */
const RELEASE_TAG = /^.+ refs\/tags\/v(\d+\.\d+\.\d+)$/gm
const TIMEOUT_MS = 20_000

type Options = Wanted & { readonly check?: boolean | undefined }
type Context = Pick<Change, "dataDir" | "settings" | "onStep">

/**
 * Compares the release in the image with an archive, or with the newest release tag of REPOSITORY. It changes nothing.
 * @param root the folder of the release in the image
 * @returns what the host's command would change, and whether that command can run now
 * @throws Error without --check, and when neither an archive nor REPOSITORY can be read
 */
export async function checkContainer(root: string, { check, to, from }: Options, context: Context) {
  if (!check || to) throw new Error(`The files of an image do not change. Update on the host: ${HOST_COMMAND} …`)
  const { dataDir, settings, onStep } = context
  const current = codeIn(root)
  if (!from) return { report: await compareWithTags(root, settings.REPOSITORY), isReady: true }
  const target = await targetIn(resolve(from), current, onStep)
  if (!target) return { report: `Nothing to update: ${nameOf(current)} is in use.`, isReady: true }
  const image = { root, current: async () => current, problemsOf: async () => [] }
  const plan = await planUpdate(image, target, { dataDir, settings })
  const onHost = `Nothing was changed. Update on the host, in the folder of the archive:\n  ${HOST_COMMAND} ${basename(from)}`
  return { report: describePlan(plan, onHost), isReady: plan.problems.length === 0 }
}

async function compareWithTags(root: string, repository: string | undefined): Promise<string> {
  if (!repository)
    throw new Error(
      "Set REPOSITORY to the URL of the repository, or name an archive: npm run update -- --check --from FILE",
    )
  const { version, commit, arch } = manifestIn(root)
  const newest = await newestRelease(repository)
  if (compare(newest, version) <= 0)
    return `Nothing to update: ${version} is in use, and ${newest} is the newest release.`
  // Only an image of a clone does not know its commit.
  const wanted = commit === null ? `v${newest}` : `mailverdict-${newest}-linux-${arch}.tar.gz`
  return `${newest} is newer than ${version}, which is in use. Update on the host:\n  ${HOST_COMMAND} ${wanted}`
}

/** Reads the tags of a repository by git's protocol over HTTP, because the image has no git. */
async function newestRelease(repository: string): Promise<string> {
  const answer = await fetch(`${repository.replace(/\/$/, "")}/info/refs?service=git-upload-pack`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: Error) => {
    throw new Error(`REPOSITORY cannot be read: ${rootCause(error).message}`, { cause: error })
  })
  if (!answer.ok) throw new Error(`REPOSITORY answers ${answer.status}: it needs the https URL of a public repository`)
  const versions = [...(await answer.text()).matchAll(RELEASE_TAG)].map(([, version]) => version!)
  const newest = versions.toSorted(compare).at(-1)
  if (newest) return newest
  throw new Error("REPOSITORY has no release tag")
}

/** Orders versions by their numbers. */
const compare = new Intl.Collator("en", { numeric: true }).compare
