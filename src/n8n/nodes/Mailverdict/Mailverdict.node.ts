import {
  type IDataObject,
  type IExecuteFunctions,
  type IHttpRequestOptions,
  type INode,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type JsonObject,
  NodeApiError,
  NodeConnectionTypes,
} from "n8n-workflow"
import { type Call, readResults, verifyAll } from "./lists.ts"
import { PROPERTIES } from "./properties.ts"

/** Reads a field of the node for one item. */
type Read = (name: string) => string

/** What an operation returns for an item, by `resource.operation`. */
const OPERATIONS: Readonly<Record<string, (call: Call, read: Read) => Promise<IDataObject | IDataObject[]>>> = {
  "email.verify": async (call, read) =>
    resultOf(await call({ method: "POST", url: "/validate", body: { email: read("email") } })),
  "email.verifyFast": async (call, read) => {
    try {
      const answer = await call({ url: "/validate/fast", qs: { email: read("email") } })
      return { found: true, ...resultOf(answer) }
    } catch (error) {
      if (error instanceof NodeApiError && error.httpCode === "404") return { found: false, email: read("email") }
      return Promise.reject(error)
    }
  },
  "list.getResults": (call, read) => readResults(call, read("listId"), read("filter")),
  "finder.find": (call, read) =>
    call({
      method: "POST",
      url: "/find-email",
      body: { first_name: read("firstName"), last_name: read("lastName"), domain: read("domain") },
    }),
  "domain.check": (call, read) => call({ url: `/domain-intel/${encodeURIComponent(read("domain"))}` }),
  "suppression.add": (call, read) =>
    call({ method: "POST", url: "/suppression/add", body: { email: read("email"), reason: read("reason") } }),
  "suppression.check": (call, read) => call({ url: "/suppression/check", qs: { email: read("email") } }),
}

/** The flat fields of a result, `can_send` among them. */
const resultOf = ({ checks }: IDataObject) => checks as IDataObject

/** The `detail` of a refusal: a text, or a list of fields. */
interface Refusal {
  readonly detail?: string | readonly { readonly loc: readonly string[]; readonly msg: string }[]
}

/** An error with the reason that the service gave, and the item that it belongs to. */
function failureOf(node: INode, error: JsonObject, itemIndex: number): NodeApiError {
  // It returns a given NodeApiError as it is, without its options, and does not know `detail`.
  const failure = new NodeApiError(node, error)
  failure.context.itemIndex = itemIndex
  const { detail } = (failure.context.data ?? {}) as Refusal
  const reason = typeof detail === "object" ? detail.map(({ loc, msg }) => `${loc.at(-1)} ${msg}`).join(", ") : detail
  failure.description = reason ?? failure.description
  return failure
}

export class Mailverdict implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Mailverdict",
    name: "mailverdict",
    icon: { light: "file:../../icons/mailverdict.svg", dark: "file:../../icons/mailverdict.dark.svg" },
    group: ["transform"],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: "Decide whether email addresses can receive mail, without sending any",
    defaults: { name: "Mailverdict" },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    usableAsTool: true,
    credentials: [{ name: "mailverdictApi", required: true }],
    properties: PROPERTIES,
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData()
    const { baseUrl } = await this.getCredentials("mailverdictApi")
    const call: Call = (request) =>
      this.helpers.httpRequestWithAuthentication.call(this, "mailverdictApi", {
        baseURL: String(baseUrl),
        json: true,
        ...request,
      } as IHttpRequestOptions)
    const operation = `${this.getNodeParameter("resource", 0)}.${this.getNodeParameter("operation", 0)}`
    const isList = operation === "list.verify"

    const returned: INodeExecutionData[] = []
    for (const item of isList ? [0] : items.keys()) {
      try {
        if (isList) return [await verifyAll(this, call)]
        const answer = await OPERATIONS[operation]!(call, (name) => String(this.getNodeParameter(name, item)))
        returned.push(...[answer].flat().map((json) => ({ json, pairedItem: { item } })))
      } catch (error) {
        const failure = failureOf(this.getNode(), error as JsonObject, item)
        if (!this.continueOnFail()) throw failure
        returned.push({ json: { error: failure.description || failure.message }, pairedItem: { item } })
      }
    }
    return [returned]
  }
}
