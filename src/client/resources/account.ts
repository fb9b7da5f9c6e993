import type { Answer, Caller, CallOptions } from "../caller.ts"

export interface Account {
  /** Reads the month's credits: used, left, bought, and the seconds until the reset. Cost: none. @throws MailverdictError 401 */
  usage(call?: CallOptions): Promise<Answer<"usage">>
  /** Reads the account of the API key: its identifier, email address and plan. Cost: none. @throws MailverdictError 401 */
  account(call?: CallOptions): Promise<Answer<"whoAmI">>
}

export function createAccount(caller: Caller): Account {
  return {
    usage: (call) => caller.call("usage", {}, call),
    account: (call) => caller.call("whoAmI", {}, call),
  }
}
