import type { Answer, Caller, CallOptions } from "../caller.ts"

export type FleetNode = Answer<"listNodes">["nodes"][number]
export type RegionHealth = Answer<"regionsHealth">["regions"][number]

/** Probe nodes. An API key has the account's own nodes, `adminSecret` the operator's whole fleet. No call costs credits. */
export interface Nodes {
  /** Lists the nodes that serve you, with their state: the shared ones and your own. @throws MailverdictError 401 without a credential */
  list(call?: CallOptions): Promise<readonly FleetNode[]>
  /** Reads each region's nodes: load, round trip in ms and the findings of their self-checks. */
  health(call?: CallOptions): Promise<readonly RegionHealth[]>
  /** Sends no new probes to a node; running ones end. @throws MailverdictError 404 for an unknown node */
  drain(nodeId: string, call?: CallOptions): Promise<Answer<"drainNode">>
  /** Ends the drain of a node. @throws MailverdictError 404 for an unknown node */
  resume(nodeId: string, call?: CallOptions): Promise<Answer<"resumeNode">>
  /** Removes a node and its keys. @throws MailverdictError 404 for an unknown node */
  remove(nodeId: string, call?: CallOptions): Promise<Answer<"removeNode">>
}

export function createNodes(caller: Caller): Nodes {
  return {
    list: async (call) => (await caller.call("listNodes", {}, call)).nodes,
    health: async (call) => (await caller.call("regionsHealth", {}, call)).regions,
    drain: (nodeId, call) => caller.call("drainNode", { node_id: nodeId }, call),
    resume: (nodeId, call) => caller.call("resumeNode", { node_id: nodeId }, call),
    remove: (nodeId, call) => caller.call("removeNode", { node_id: nodeId }, call),
  }
}
