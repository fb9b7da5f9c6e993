import type { Answer, Caller, CallOptions, Input } from "../caller.ts"

export function createAccount(caller: Caller) {
  return {
    /** Reads the month's credits: used, left, bought, and the seconds until the reset. Cost: none. @throws MailverdictError 401 */
    usage: (call?: CallOptions) => caller.call("usage", {}, call),
    /** Reads the account of the API key: its identifier, email address and plan. Cost: none. @throws MailverdictError 401 */
    account: (call?: CallOptions) => caller.call("whoAmI", {}, call),
  }
}

export type Account = ReturnType<typeof createAccount>

export type Key = Answer<"changeKey">
export type CreatedKey = Answer<"createKey">
export type RotatedKey = Answer<"rotateKey">

/** The account's API keys. No call costs credits. */
export function createKeys(caller: Caller) {
  return {
    /**
     * Creates a key. `api_key` is shown only in this answer. Without a key of your own, the new one belongs to no account
     * until its owner signs in.
     *
     * A lost answer is not retried, because a second key would be created: check `list` first.
     * @throws MailverdictError 422 for an invalid field, 429 after 5 keys an hour without a key, 100 with one
     */
    create: (fields: Input<"createKey">, call?: CallOptions) => caller.call("createKey", fields, call),
    /** Lists all keys of the account, without their secrets. @throws MailverdictError 401 without a key */
    list: async (call?: CallOptions) => (await caller.call("listKeys", {}, call)).keys,
    /**
     * Replaces a key. The old one stops working at once, and `api_key` is shown only in this answer.
     * @throws MailverdictError 404 for an unknown key, 409 for a revoked one
     */
    rotate: (keyId: string, call?: CallOptions) => caller.call("rotateKey", { key_id: keyId }, call),
    /** Revokes a key at once and for good. @throws MailverdictError 404 for an unknown key */
    revoke: (keyId: string, call?: CallOptions) => caller.call("revokeKey", { key_id: keyId }, call),
    /**
     * Changes a key's name, expiry or restrictions. A field that is left out stays.
     * @throws MailverdictError 404 for an unknown key, 422 for an invalid field
     */
    update: (keyId: string, fields: Omit<Input<"changeKey">, "key_id">, call?: CallOptions) =>
      caller.call("changeKey", { ...fields, key_id: keyId }, call),
  }
}

export type Keys = ReturnType<typeof createKeys>

export type FleetNode = Answer<"listNodes">["nodes"][number]
export type RegionHealth = Answer<"regionsHealth">["regions"][number]

/** Probe nodes. An API key has the account's own nodes, `adminSecret` the operator's whole fleet. No call costs credits. */
export function createNodes(caller: Caller) {
  return {
    /** Lists the nodes that serve you, with their state: the shared ones and your own. @throws MailverdictError 401 without a credential */
    list: async (call?: CallOptions) => (await caller.call("listNodes", {}, call)).nodes,
    /** Reads each region's nodes: load, round trip in ms and the findings of their self-checks. */
    health: async (call?: CallOptions) => (await caller.call("regionsHealth", {}, call)).regions,
    /** Sends no new probes to a node; running ones end. @throws MailverdictError 404 for an unknown node */
    drain: (nodeId: string, call?: CallOptions) => caller.call("drainNode", { node_id: nodeId }, call),
    /** Ends the drain of a node. @throws MailverdictError 404 for an unknown node */
    resume: (nodeId: string, call?: CallOptions) => caller.call("resumeNode", { node_id: nodeId }, call),
    /** Removes a node and its keys. @throws MailverdictError 404 for an unknown node */
    remove: (nodeId: string, call?: CallOptions) => caller.call("removeNode", { node_id: nodeId }, call),
  }
}

export type Nodes = ReturnType<typeof createNodes>
