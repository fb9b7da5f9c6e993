/** A method of the clients in src/client/resources. */
export interface ClientMethod {
  readonly name: string
  /** The fields that are parameters of their own. The others follow as one object. */
  readonly first: readonly string[]
  /** What one item is, when the method yields many. */
  readonly yields?: string
}

const method = (name: string, ...first: readonly string[]): ClientMethod => ({ name, first })
const yielding = (item: string, name: string, ...first: readonly string[]): ClientMethod => ({
  ...method(name, ...first),
  yields: item,
})

/** The method for each operation that has one. Any other operation is called by its name. */
export const CLIENT_METHODS: Readonly<Record<string, ClientMethod>> = {
  validate: method("verify", "email"),
  validateByBody: method("verify", "email"),
  validateFast: method("verifyFast", "email"),
  findEmailV2: method("find"),
  domainIntel: method("domain", "domain"),
  usage: method("usage"),
  whoAmI: method("account"),
  uploadList: method("lists.upload", "file"),
  validateAsync: method("lists.verify", "emails"),
  bulkStatus: method("lists.get", "job_id"),
  getJob: method("lists.wait", "job_id"),
  bulkReport: method("lists.report", "job_id"),
  downloadResults: yielding("bytes", "lists.download", "job_id"),
  cancelJob: method("lists.cancel", "job_id"),
  listJobs: yielding("list", "lists.all"),
  createKey: method("keys.create"),
  listKeys: method("keys.list"),
  rotateKey: method("keys.rotate", "key_id"),
  revokeKey: method("keys.revoke", "key_id"),
  changeKey: method("keys.update", "key_id"),
  addSuppression: method("suppress.add", "email"),
  listSuppressions: yielding("entry", "suppress.list"),
  removeSuppression: method("suppress.remove", "email"),
  removeSuppressedDomain: method("suppress.removeDomain", "domain"),
  importSuppressions: method("suppress.import", "file"),
  exportSuppressions: yielding("text", "suppress.export"),
  listWebhookEndpoints: method("webhooks.list"),
  addWebhookEndpoint: method("webhooks.add"),
  changeWebhookEndpoint: method("webhooks.update", "endpoint_id"),
  removeWebhookEndpoint: method("webhooks.remove", "endpoint_id"),
  testWebhookEndpoint: method("webhooks.test", "endpoint_id"),
  listWebhookDeliveries: yielding("delivery", "webhooks.deliveries"),
  redriveWebhook: method("webhooks.redeliver", "event_id"),
  listNodes: method("nodes.list"),
  regionsHealth: method("nodes.health"),
  drainNode: method("nodes.drain", "node_id"),
  resumeNode: method("nodes.resume", "node_id"),
  removeNode: method("nodes.remove", "node_id"),
}
