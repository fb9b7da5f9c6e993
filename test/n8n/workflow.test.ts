import assert from "node:assert/strict"
import { test } from "node:test"
import { credential, execute, node } from "./execute.ts"

const EMAIL = "={{ $json.email }}"
const people = ["alice@mailbox.test", "nobody@mailbox.test"].map((email) => ({ email }))
const ended = (run: Awaited<ReturnType<typeof execute>>) => {
  assert.equal(run.error, undefined)
  return run.items
}
/** Fields of each item, after the item of the input that it is paired with. */
const rows = (items: Awaited<ReturnType<typeof execute>>["items"], ...names: string[]) =>
  items.map(({ json, pairedItem }) => [(pairedItem as { item: number }).item, ...names.map((name) => json[name])])

test("n8n loads the package, with an icon for each theme, as a tool for agents", () => {
  assert.equal(node.description.usableAsTool, true)
  for (const { iconUrl } of [node.description, credential])
    assert.deepEqual(Object.keys(iconUrl as object), ["light", "dark"])
})

test("the test of a credential accepts a key and rejects another one", async () => {
  const type = "credentialTest"
  assert.deepEqual(rows(ended(await execute([{}], {}, { type })), "signed_in_by"), [[0, "key"]])
  const unknown = await execute([{}], {}, { type, key: "mv_live_unknown" })
  assert.match(unknown.error!.message, /Authorization failed/)
})

test("Email: Verify returns whether each address can be sent to", async () => {
  const items = ended(await execute(people, { resource: "email", operation: "verify", email: EMAIL }))
  assert.deepEqual(rows(items, "email", "status", "can_send"), [
    [0, "alice@mailbox.test", "valid", true],
    [1, "nobody@mailbox.test", "invalid", false],
  ])
})

test("Email: Verify Fast finds stored results only", async () => {
  const given = [...people, { email: "never-verified@mailbox.test" }]
  const items = ended(await execute(given, { resource: "email", operation: "verifyFast", email: EMAIL }))
  assert.deepEqual(rows(items, "found", "can_send"), [
    [0, true, true],
    [1, true, false],
    [2, false, undefined],
  ])
})

test("List: Verify pairs each result with its item, and Get Results filters them", async () => {
  const given = [...people, { email: '"quoted, with a comma"@' }, people[0]!, { email: "" }]
  const list = { resource: "list", operation: "verify", email: EMAIL }
  const items = ended(await execute(given, { ...list, wait: true, minutes: 1 }))
  assert.deepEqual(rows(items, "email", "status", "can_send"), [
    [0, "alice@mailbox.test", "valid", true],
    [1, "nobody@mailbox.test", "invalid", false],
    [2, '"quoted, with a comma"@', "invalid_syntax", false],
    [3, "alice@mailbox.test", "valid", true],
    [4, "", null, null],
  ])

  const [submitted] = ended(await execute(people, { ...list, wait: false }))
  assert.deepEqual(submitted!.pairedItem, [{ item: 0 }, { item: 1 }])
  const results = { resource: "list", operation: "getResults", listId: submitted!.json.job_id as string }
  let sendable: unknown[] = []
  // The list runs in the background. Its results are complete within a few reads.
  for (let reads = 0; reads < 600 && sendable.length === 0; reads++)
    sendable = rows(ended(await execute([{}], { ...results, filter: "can_send" })), "email")
  assert.deepEqual(sendable, [[0, "alice@mailbox.test"]])
})

test("Finder, Domain and Suppression return the service's answers", async () => {
  const who = { firstName: "Alice", lastName: "Smith", domain: "namesakes.test" }
  const found = ended(await execute([{}], { resource: "finder", operation: "find", ...who }))
  assert.deepEqual(rows(found, "best_email", "outcome"), [[0, "alice.smith@namesakes.test", "verified"]])
  const domain = ended(await execute([{}], { resource: "domain", operation: "check", domain: "mailbox.test" }))
  assert.deepEqual(rows(domain, "domain", "is_disposable"), [[0, "mailbox.test", false]])
  const left = [{ email: "left@mailbox.test" }]
  const add = { resource: "suppression", operation: "add", email: EMAIL, reason: "unsubscribe" }
  assert.deepEqual(rows(ended(await execute(left, add)), "change"), [[0, "added"]])
  const check = { resource: "suppression", operation: "check", email: EMAIL }
  assert.deepEqual(rows(ended(await execute(left, check)), "is_suppressed", "reason"), [[0, true, "unsubscribe"]])
})

test("an error names the item and the service's reason, and ends the workflow", async () => {
  const given = [...people, { email: "no-dot@mailbox" }]
  const { items, error } = await execute(given, { resource: "suppression", operation: "check", email: EMAIL })
  assert.deepEqual(items, [])
  assert.equal(error!.name, "NodeApiError")
  assert.equal(error!.context!.itemIndex, 2)
  assert.match(error!.description!, /domain has no dot/)
  const unknown = await execute(people, { resource: "list", operation: "verify", email: EMAIL }, { key: "mv_live_x" })
  assert.match(unknown.error!.description!, /API key is invalid/)
  const nameless = { resource: "finder", operation: "find", firstName: "={{ '' }}", lastName: "Smith" }
  const incomplete = await execute([{}], { ...nameless, domain: "namesakes.test" })
  assert.match(incomplete.error!.description!, /^first_name /)
})

test("with the setting to continue, an error is the item's output", async () => {
  const given = [{ email: "no-dot@mailbox" }, ...people]
  const parameters = { resource: "suppression", operation: "check", email: EMAIL }
  const items = ended(await execute(given, parameters, { onError: "continueRegularOutput" }))
  assert.match(String(items[0]!.json.error), /domain has no dot/)
  assert.deepEqual(rows(items, "email"), [
    [0, undefined],
    [1, people[0]!.email],
    [2, people[1]!.email],
  ])
})
