import { importTrustedKey } from "../../../schema/wire/keys.ts"
import { MAX_NODES_OF_ACCOUNT } from "../../adapters/store/fleet.ts"
import type { Deps } from "../../deps.ts"
import { AppError } from "../../errors.ts"
import { checkNodeUrl } from "./check-node-url.ts"

type Needs = Pick<Deps, "clock" | "digests" | "dns" | "fleet" | "fleetRules" | "fleetStore">

export interface Enrolment {
  readonly token: string
  readonly id: string
  readonly region: string
  readonly url: string
  readonly publicKey: string
  readonly sourceIps: readonly string[]
  readonly capacity: number
  readonly version: string
}

/** While a node changes its key, answers signed with the old one are taken for so long. */
export const OLD_KEY_MS = 24 * 3_600_000

/** Enters a node into the registry. It is asked once it has been looked at. */
export async function enrolNode(needs: Needs, { token, publicKey, ...node }: Enrolment): Promise<void> {
  const { clock, digests, fleet, fleetStore } = needs
  await readKey(publicKey)
  const digest = await digests.of("fleet-token", token)
  if (!(await fleetStore.isTokenGood(digest, clock.now()))) throw badToken()
  const problem = await checkNodeUrl(needs, node.url)
  if (problem) throw new AppError("bad_request", `url ${problem}`)
  const isStatic = (await fleet.all()).some(({ id, isStatic }) => isStatic && id === node.id)
  const url = new URL(node.url).origin
  const now = clock.now()
  const enrolled = isStatic
    ? "taken"
    : await fleetStore.enrol(digest, { ...node, url, key: publicKey }, { now, oldKeysUntil: now + OLD_KEY_MS })
  if (enrolled === "bad_token") throw badToken()
  if (enrolled === "taken") throw new AppError("conflict", "another node has this id; choose another one")
  if (enrolled === "full")
    throw new AppError("conflict", `an account has at most ${MAX_NODES_OF_ACCOUNT} nodes; remove one first`)
  await fleet.refresh()
}

/** @throws AppError bad_request that says what is wrong */
export async function readKey(text: string): Promise<void> {
  await importTrustedKey(text).catch((cause: Error) => {
    throw new AppError("bad_request", `public_key: ${cause.message}`, { cause })
  })
}

function badToken(): AppError {
  return new AppError("unauthorized", "the token is unknown, too old or used for another node")
}
