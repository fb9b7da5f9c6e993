import { createRequire } from "node:module"
import type {
  IAuthenticateGeneric,
  ICredentialDataDecryptedObject,
  ICredentialsHelper,
  IDataObject,
  IHttpRequestOptions,
  INode,
  INodeExecutionData,
  INodeType,
  INodeTypes,
  IRunExecutionData,
  IWorkflowExecuteAdditionalData,
} from "n8n-workflow"

// n8n runs as CommonJS. Its modules for import are built for bundlers.
const require = createRequire(import.meta.url)
const { ExecutionLifecycleHooks, PackageDirectoryLoader, WorkflowExecute } =
  require("n8n-core") as typeof import("n8n-core")
const { Workflow } = require("n8n-workflow") as typeof import("n8n-workflow")

/** The built package, loaded as n8n loads a community package. */
const loader = new PackageDirectoryLoader(process.env.PACKAGE!)
await loader.loadAll()
export const node = loader.nodeTypes.mailverdict!.type as INodeType
export const credential = loader.credentialTypes.mailverdictApi!.type

const EMPTY = { inputs: ["main"], outputs: ["main"], properties: [] } as unknown as INodeType["description"]
const TYPES: Readonly<Record<string, INodeType>> = {
  mailverdict: node,
  start: { description: { ...EMPTY, name: "start", inputs: [] } },
  // n8n sends the test request of a credential from a node like this one.
  credentialTest: {
    description: {
      ...EMPTY,
      ...{ name: "credentialTest", credentials: [{ name: "mailverdictApi", required: true }] },
      properties: [
        {
          displayName: "Test",
          name: "test",
          type: "string",
          default: "",
          routing: { request: credential.test!.request },
        },
      ],
    },
  },
}
const nodeTypes: INodeTypes = {
  getByName: (name) => TYPES[name]!,
  getByNameAndVersion: (name) => TYPES[name]!,
  getKnownTypes: () => ({}),
}

/** What n8n's server adds to the engine: the stored credential, and its part of a request. */
function credentials(data: ICredentialDataDecryptedObject): ICredentialsHelper {
  const helper: Partial<ICredentialsHelper> = {
    getParentTypes: () => [],
    isCredentialUsableByNode: () => true,
    preAuthentication: async () => undefined,
    getDecrypted: async () => data,
    authenticate: async (given, _, request, workflow, forNode) => {
      const { headers } = (credential.authenticate as IAuthenticateGeneric).properties
      const resolve = (text: unknown) =>
        workflow!.expression.getSimpleParameterValue(forNode!, text as string, "manual", { $credentials: given })
      const added = Object.entries(headers!).map(([name, text]) => [name, resolve(text)])
      return { ...request, headers: { ...request.headers, ...Object.fromEntries(added) } } as IHttpRequestOptions
    },
  }
  return helper as ICredentialsHelper
}

export interface Ran {
  /** The items of the node's only output. */
  readonly items: readonly INodeExecutionData[]
  /** The error that ended the workflow. */
  readonly error: IRunExecutionData["resultData"]["error"]
}

/**
 * Runs a workflow of two nodes in n8n's engine: `items` are the output of the first one, and the input of the second one, by default Mailverdict.
 * @param parameters the fields of the node
 * @param settings of the node, such as `onError`
 */
export async function execute(
  items: readonly IDataObject[],
  parameters: INode["parameters"],
  { key = process.env.KEY!, ...settings }: Partial<INode> & { readonly key?: string } = {},
): Promise<Ran> {
  const start: INode = { id: "1", name: "Start", type: "start", typeVersion: 1, position: [0, 0], parameters: {} }
  const tested: INode = {
    ...{ ...start, id: "2", name: "Mailverdict", type: "mailverdict", parameters },
    ...{ credentials: { mailverdictApi: { id: "1", name: "Mailverdict" } }, ...settings },
  }
  const connections = { Start: { main: [[{ node: "Mailverdict", type: "main" as const, index: 0 }]] } }
  const nodes = [start, tested]
  const workflow = new Workflow({ id: "1", nodes, connections, active: false, nodeTypes })
  const about = { id: "1", name: "Test", nodes, connections, active: false, activeVersionId: null, isArchived: false }
  const stored = { ...about, createdAt: new Date(), updatedAt: new Date() }
  const additional = {
    credentialsHelper: credentials({ baseUrl: process.env.BASE!, apiKey: key }),
    hooks: new ExecutionLifecycleHooks("manual", "1", stored),
    executionId: "1",
    webhookWaitingBaseUrl: "http://127.0.0.1",
    formWaitingBaseUrl: "http://127.0.0.1",
  } as unknown as IWorkflowExecuteAdditionalData
  const pinData = { Start: items.map((json) => ({ json })) }
  const run = await new WorkflowExecute(additional, "manual").run({ workflow, startNode: start, pinData })
  const { runData, error } = run.data.resultData
  return { items: runData.Mailverdict?.[0]?.data?.main?.[0] ?? [], error }
}
