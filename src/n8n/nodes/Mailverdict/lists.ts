import {
  type IDataObject,
  type IExecuteFunctions,
  type IHttpRequestOptions,
  type INodeExecutionData,
  NodeOperationError,
  sleep,
} from "n8n-workflow"

/** Calls the service with the node's credential. */
export type Call = (request: Partial<IHttpRequestOptions>) => Promise<IDataObject>

const FINISHED = ["complete", "failed"]
/** Seconds between two reads of a list's progress, as the service recommends. */
const [SHORTEST_PAUSE, LONGEST_PAUSE] = [1, 10]

/** A row of a downloaded list: the columns of the upload, then those of the result. */
export type Row = IDataObject & { readonly item?: string }

/** The rows of a list, as far as they have a result. */
export async function readResults(call: Call, listId: string, filter: string): Promise<Row[]> {
  const url = `/bulk/download/${encodeURIComponent(listId)}`
  return (await call({ url, qs: { format: "json", filter } })) as unknown as Row[]
}

/**
 * Uploads the addresses of all items as one list.
 * @returns an item for each address, paired with its own; without `wait` one item with the progress of the list
 * @throws NodeOperationError when the list failed, or is not finished in time. Its id is in the description.
 */
export async function verifyAll(node: IExecuteFunctions, call: Call): Promise<INodeExecutionData[]> {
  const items = node.getInputData()
  // The column `item` comes back with each result. So duplicates, and several addresses in an item, keep their item.
  const rows = items.map((_, index) => `${index},${quoted(String(node.getNodeParameter("email", index) ?? ""))}`)
  const submitted = await call({
    method: "POST",
    url: "/bulk/upload",
    qs: { email_column: "email" },
    headers: { "Content-Type": "text/csv" },
    body: ["item,email", ...rows].join("\r\n"),
    json: false,
  })
  const listId = String(submitted.job_id)
  if (!node.getNodeParameter("wait", 0)) return [{ json: submitted, pairedItem: items.map((_, item) => ({ item })) }]

  const deadlineAt = Date.now() + Number(node.getNodeParameter("minutes", 0)) * 60_000
  let list = submitted
  for (;;) {
    const seconds = Math.min(Math.max(Number(list.estimated_seconds ?? 0), SHORTEST_PAUSE), LONGEST_PAUSE)
    await sleep(seconds * 1_000)
    if (node.getExecutionCancelSignal()?.aborted) return []
    list = await call({ url: `/jobs/${listId}`, qs: { limit: 1 } })
    if (FINISHED.includes(String(list.status))) break
    if (Date.now() > deadlineAt) throw failure(node, "The list is not finished yet", listId)
  }
  if (list.status === "failed") throw failure(node, "The list ended before all its addresses had a result", listId)
  const results = await readResults(call, listId, "all")
  return results.map(({ item, ...json }) => ({ json, pairedItem: { item: Number(item) } }))
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

function failure(node: IExecuteFunctions, message: string, listId: string): NodeOperationError {
  const description = `Read what has a result with the operation Get Results of the list ${listId}`
  return new NodeOperationError(node.getNode(), message, { description })
}
