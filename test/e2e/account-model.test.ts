import fc from "fast-check"
import { expect, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"

/** The expected state of an account after any sequence of commands. */
interface Model {
  /** Indexes in `keys` of the active keys. */
  readonly activeKeys: Set<number>
  made: number
  readonly suppressed: Set<string>
}

interface Real {
  /** All keys, including revoked ones. */
  readonly keys: TestKey[]
  readonly stranger: TestKey
}

type Command = fc.AsyncCommand<Model, Real>

const ADDRESSES = ["user1@d0970.test", "user2@d0970.test", "user3@d0971.test"] as const

/** The account's first key creates and revokes the others, and is never revoked. */
const owner = ({ keys }: Real) => keys[0]!
const isSuppressed = async (key: TestKey, email: string) => {
  const at = `/suppression/check?email=${encodeURIComponent(email)}`
  return (await call<{ is_suppressed: boolean }>("GET", "/suppression/check", withKey(key, { at }))).body.is_suppressed
}

class MakeKey implements Command {
  check = ({ made }: Readonly<Model>) => made < 8
  async run(model: Model, real: Real) {
    const init = postJson({ name: "model", owner_email: "owner@mailbox.test" })
    const { body } = await call<{ key_id: string; api_key: string }>("POST", "/keys", withKey(owner(real), init))
    real.keys.push({ keyId: body.key_id, secret: body.api_key })
    model.activeKeys.add(model.made++)
  }
  toString = () => "makeKey"
}

class UseKey implements Command {
  readonly #place: number
  constructor(place: number) {
    this.#place = place
  }
  check = ({ made }: Readonly<Model>) => this.#place < made
  async run({ activeKeys }: Model, { keys }: Real) {
    const { status } = await callUnchecked("/usage", { headers: { "x-api-key": keys[this.#place]!.secret } })
    expect(status).toBe(activeKeys.has(this.#place) ? 200 : 401)
  }
  toString = () => `useKey(${this.#place})`
}

class EndKey implements Command {
  readonly #place: number
  readonly #how: "rotate" | "revoke"
  constructor(place: number, how: "rotate" | "revoke") {
    this.#place = place
    this.#how = how
  }
  check = ({ made }: Readonly<Model>) => this.#place > 0 && this.#place < made
  async run(model: Model, real: Real) {
    const { keyId } = real.keys[this.#place]!
    const path = this.#how === "rotate" ? `/keys/${keyId}/rotate` : `/keys/${keyId}`
    const method = this.#how === "rotate" ? "POST" : "DELETE"
    const headers = { "x-api-key": owner(real).secret }
    const { status, body } = await callUnchecked(path, { method, headers })
    const isLive = model.activeKeys.delete(this.#place)
    // Revoking twice has no effect. A revoked key cannot be rotated.
    expect(status).toBe(isLive || this.#how === "revoke" ? 200 : 409)
    if (!isLive || this.#how === "revoke") return
    const next = body as { key_id: string; api_key: string }
    real.keys.push({ keyId: next.key_id, secret: next.api_key })
    model.activeKeys.add(model.made++)
  }
  toString = () => `${this.#how}(${this.#place})`
}

/** A command about one address, possible at any time. */
abstract class OnAddress implements Command {
  readonly email: string
  constructor(email: string) {
    this.email = email
  }
  check = () => true
  abstract run(model: Model, real: Real): Promise<void>
  toString = () => `${this.constructor.name}(${this.email})`
}

class Suppress extends OnAddress {
  async run({ suppressed }: Model, real: Real) {
    const init = postJson({ email: this.email, reason: "manual" })
    await call("POST", "/suppression/add", withKey(owner(real), init))
    suppressed.add(this.email)
  }
}

class Release extends OnAddress {
  async run({ suppressed }: Model, real: Real) {
    const headers = { "x-api-key": owner(real).secret }
    const path = `/suppression/${encodeURIComponent(this.email)}`
    const { status } = await callUnchecked(path, { method: "DELETE", headers })
    expect(status).toBe(suppressed.delete(this.email) ? 200 : 404)
  }
}

class LookUp extends OnAddress {
  async run({ suppressed }: Model, real: Real) {
    expect(await isSuppressed(owner(real), this.email)).toBe(suppressed.has(this.email))
    expect(await isSuppressed(real.stranger, this.email)).toBe(false)
    const at = `/validate/fast?email=${encodeURIComponent(this.email)}`
    const fast = await call<{ checks: { can_send: boolean } }>("GET", "/validate/fast", withKey(owner(real), { at }))
    expect(fast.body.checks.can_send).toBe(!suppressed.has(this.email))
  }
}

test("after any sequence of commands, keys and suppressions are as expected, for their account only", async () => {
  for (const email of ADDRESSES) await call("GET", "/validate", { at: `/validate?email=${email}` })
  const place = fc.nat(7)
  const email = fc.constantFrom(...ADDRESSES)
  const commands = fc.commands<Model, Real, false>(
    [
      fc.constant(new MakeKey()),
      place.map((n) => new UseKey(n)),
      fc.tuple(place, fc.constantFrom("rotate" as const, "revoke" as const)).map(([n, how]) => new EndKey(n, how)),
      email.map((one) => new Suppress(one)),
      email.map((one) => new Release(one)),
      email.map((one) => new LookUp(one)),
    ],
    { maxCommands: 40 },
  )
  await fc.assert(
    fc.asyncProperty(commands, (sequence) =>
      fc.asyncModelRun(async () => {
        const real: Real = { keys: [await newKey()], stranger: await newKey() }
        return { model: { activeKeys: new Set([0]), made: 1, suppressed: new Set<string>() }, real }
      }, sequence),
    ),
    { numRuns: 12, endOnFailure: true },
  )
})
