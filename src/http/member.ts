import type { Context } from "hono"
import type { Member } from "../domain/accounts/caller.ts"
import type { AppEnv } from "./endpoint.ts"

/** The account of a request. Only for endpoints whose access word requires one. */
export function member(c: Context<AppEnv>): Member {
  if (c.var.caller.kind !== "member")
    throw new Error("an endpoint that needs an account must have an access word that requires one")
  return c.var.caller
}
