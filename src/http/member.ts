import type { Context } from "hono"
import type { Member } from "../domain/accounts/caller.ts"
import type { AppEnv } from "./endpoint.ts"

/** The account of a request. Only for endpoints of access word `key` or `session`, whose guard requires an account. */
export function member(c: Context<AppEnv>): Member {
  if (c.var.caller.kind !== "member") throw new Error("an endpoint that needs an account must have the access word key")
  return c.var.caller
}
