import { importTrustedKey } from "../../../schema/wire/keys.ts"
import type { Context } from "../../context.ts"
import { MAX_NODES_OF_ACCOUNT } from "../../domain/fleet/nodes.ts"
import { AppError } from "../../errors.ts"
import { lookUpCredential } from "../accounts/look-up-credential.ts"
import { checkNodeUrl } from "./check-node-url.ts"

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

/** How long responses signed with the former key are accepted after a key change. */
export const OLD_KEY_MS = 24 * 3_600_000

/**
 * Adds a node to the registry, or replaces the token owner's node. It receives probes after its first health check. A
 * token works once: its enrollment may only be repeated without a change, as after a lost answer.
 */
export async function enrolNode(
  ctx: Context,
  { token, publicKey, ...node }: Enrolment,
  clientIp: string | undefined,
): Promise<void> {
  const { clock, digests, fleet } = ctx
  const { fleetStore } = ctx.store
  await readKey(publicKey)
  const digest = await digests.of("fleet-token", token)
  const known = await lookUpCredential(ctx, { names: [`fleet token:${digest}`], clientIp }, async () =>
    (await fleetStore.isTokenKnown(digest, clock.now())) ? digest : null,
  )
  if (known === null) throw badToken()
  const problem = await checkNodeUrl(ctx, node.url)
  if (problem) throw new AppError("bad_request", `url ${problem}`)
  const isStatic = (await fleet.all()).some(({ id, isStatic }) => isStatic && id === node.id)
  const url = new URL(node.url).origin
  const now = clock.now()
  const enrolled = isStatic
    ? "taken"
    : await fleetStore.enroll(digest, { ...node, url, key: publicKey }, { now, oldKeysUntil: now + OLD_KEY_MS })
  if (enrolled === "bad_token") throw badToken()
  if (enrolled === "taken") throw new AppError("conflict", "another node has this id; choose another one")
  if (enrolled === "full")
    throw new AppError("conflict", `an account has at most ${MAX_NODES_OF_ACCOUNT} nodes; remove one first`)
  await fleet.refresh()
}

/** Validates a public key. @throws AppError bad_request with the problem */
export async function readKey(text: string): Promise<void> {
  await importTrustedKey(text).catch((cause: Error) => {
    throw new AppError("bad_request", `public_key: ${cause.message}`, { cause })
  })
}

function badToken(): AppError {
  return new AppError(
    "unauthorized",
    "the token is unknown, expired or used: request a new one to enroll or change a node",
  )
}
