import { type Caller, type ClientOptions, createCaller } from "./caller.ts"
import { type Account, createAccount, createKeys, createNodes, type Keys, type Nodes } from "./resources/account.ts"
import { type Addresses, createAddresses } from "./resources/addresses.ts"
import { createLists, type Lists } from "./resources/lists.ts"
import { createSuppress, type Suppress } from "./resources/suppress.ts"
import { createWebhooks, type Webhooks } from "./resources/webhooks.ts"

/**
 * One Mailverdict service in plain words. Fields of the interface keep their names (`max_age_hours`). Each method's last
 * parameter has the options of the call: `signal`, `idempotencyKey`.
 *
 * Each method throws MailverdictError when the service rejects the request, ConnectionError when no response arrives
 * after all retries, and TypeError for an unknown field or option. `call` makes every other call.
 */
export interface Client extends Caller, Addresses, Account {
  readonly lists: Lists
  readonly keys: Keys
  readonly suppress: Suppress
  readonly webhooks: Webhooks
  /** For operators, and for accounts with nodes of their own. */
  readonly nodes: Nodes
}

/** Creates a client. It opens no connection. @throws TypeError for an unknown option */
export function createClient(options: ClientOptions = {}): Client {
  const caller = createCaller(options)
  return {
    ...caller,
    ...createAddresses(caller),
    ...createAccount(caller),
    lists: createLists(caller),
    keys: createKeys(caller),
    suppress: createSuppress(caller),
    webhooks: createWebhooks(caller),
    nodes: createNodes(caller),
  }
}
