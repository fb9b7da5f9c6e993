import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { freeHost, WebhookReceiver } from "../support/providers/webhook-receiver.ts"
import { newKey } from "../support/stack/account.ts"

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8")
const guide = ["api.md", "connect.md", "mcp.md", "skill/SKILL.md"].map(read).join("\n")
const folder = mkdtempSync(join(tmpdir(), "mailverdict-recipes-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The code blocks of one language, each with its heading. */
function blocks(language: string, text = guide): [heading: string, code: string][] {
  return text.split(/^##+ /m).flatMap((section) => {
    const heading = section.slice(0, section.indexOf("\n"))
    const found = section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))
    return [...found].map(([, code]): [string, string] => [heading, code!])
  })
}

let env: Record<string, string | undefined>
beforeAll(async () => {
  const KEY = (await newKey()).secret
  env = { PATH: process.env.PATH, HOME: folder, BASE: inject("stackUrl"), KEY }
})

/** A program of the guide as a file, with our source as its package. */
function program(code: string): string {
  const file = join(folder, `recipe-${crypto.randomUUID()}.mjs`)
  const source = new URL("../../src/client/mailverdict.ts", import.meta.url).href
  writeFileSync(file, code.replace('"mailverdict"', JSON.stringify(source)))
  return file
}

function start(command: string, args: string[], more: Record<string, string> = {}) {
  const child = spawn(command, args, { cwd: folder, env: { ...env, ...more }, stdio: ["ignore", "pipe", "pipe"] })
  const output = { out: "", err: "" }
  child.stdout.on("data", (chunk) => {
    output.out += String(chunk)
  })
  child.stderr.on("data", (chunk) => {
    output.err += String(chunk)
  })
  return { child, output }
}

const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("close", resolve))

test.each(blocks("sh"))("%s", async (_, code) => {
  const { child, output } = start("bash", ["-euc", `curl() { command curl -fS "$@"; echo; }\n${code}`])
  expect({ code: await ended(child), ...output }).toMatchObject({ code: 0 })
  for (const line of output.out.split("\n").filter((text) => text !== "")) expect(() => JSON.parse(line)).not.toThrow()
})

test.each(blocks("js").filter(([, code]) => !code.includes("createServer")))("%s, in JavaScript", async (_, code) => {
  const { child, output } = start(process.execPath, [program(code)])
  expect({ code: await ended(child), ...output }).toMatchObject({ code: 0 })
  const table = /name,email,status,.*\r\nAda,user2@d0013\.test,valid,.*\r\n/.source
  const list = /user1@d0013\.test valid\nno-1@d0013\.test invalid\n/.source
  expect(output.out).toMatch(new RegExp(`^(true false|${list}${table})\n$`))
})

test("the guide's receiver accepts signed events and nothing else", async () => {
  const [, code] = blocks("js").find(([, one]) => one.includes("createServer"))!
  const secret = `whsec_${Buffer.from("a secret of the tests").toString("base64")}`
  const [, port = ""] = (await freeHost()).split(":")
  const { child, output } = start(process.execPath, [program(code)], { WEBHOOK_SECRET: secret, PORT: port })
  try {
    await expect.poll(() => output.out).toContain("listening")
    const body = JSON.stringify({
      type: "job.completed",
      timestamp: new Date().toISOString(),
      data: { job_id: "job_1" },
    })
    const now = new Date()
    const signature = new Webhook(secret).sign("evt_1", now, body)
    const headers = { "webhook-id": "evt_1", "webhook-timestamp": String(Math.floor(now.getTime() / 1000)) }
    const send = (signed: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: { ...headers, "webhook-signature": signed }, body })
    expect((await send(signature)).status).toBe(204)
    expect((await send("v1,AAAA")).status).toBe(401)
    await expect.poll(() => output.out).toContain("evt_1 job.completed job_1")
  } finally {
    child.kill()
    await ended(child)
  }
})

test("every call in the guide exists", async () => {
  const { paths } = (await (await fetch(`${inject("stackUrl")}/openapi.json`)).json()) as {
    paths: Record<string, object>
  }
  const templates = Object.keys(paths).map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`))
  const named = [...guide.matchAll(/`(?:(?:GET|POST|PUT|PATCH|DELETE) )?(\/[a-z][\w/{}-]*)/g)].map(([, path]) => path!)
  const pages = ["/docs", "/docs/errors", "/docs/skill/SKILL", "/llms", "/openapi", "/mcp"]
  // Calls that RFCs define are not in the document.
  const ofOAuth = ["/oauth/register", "/oauth/authorize", "/oauth/token", "/oauth/revoke"]
  expect(named.length).toBeGreaterThan(20)
  expect(
    named.filter((path) => ![...pages, ...ofOAuth].includes(path) && !templates.some((one) => one.test(path))),
  ).toEqual([])
})

test("every field of ours in the field maps is in the published document", async () => {
  const maps = readFileSync(new URL("../../docs/migrating.md", import.meta.url), "utf8")
  const ours = [...maps.matchAll(/^\|.*\|(.*)\|$/gm)].flatMap(([, cell]) => [...cell!.matchAll(/`([a-z][a-z_.]*)`/g)])
  const words = new Set(ours.flatMap(([, word]) => word!.split(".")))
  const read = async (path: string) => (await fetch(`${inject("stackUrl")}${path}`)).text()
  // The risk factor has values of its own, which no published enum lists.
  const document = (await read("/openapi.json")) + (await read("/validate?email=full@mailbox.test"))
  expect(words.size).toBeGreaterThan(30)
  expect([...words].filter((word) => !document.includes(`"${word}"`))).toEqual([])
})

test("the README's call gets the printed answer", async () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
  const printed = JSON.parse(/```json\n(.*?)```/s.exec(readme)![1]!) as Record<string, unknown>
  const path = /curl 'http:\/\/127\.0\.0\.1:8787(.*?)'/.exec(readme)![1]
  const answer = (await (await fetch(`${inject("stackUrl")}${path}`)).json()) as Record<string, unknown>
  const lasting = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value
    const entries = Object.entries(value).filter(([name]) => !["…", "smtp_total_ms", "cached"].includes(name))
    return Object.fromEntries(entries.map(([name, inner]) => [name, lasting(inner)]))
  }
  expect(answer).toMatchObject(lasting(printed) as object)
})

describe("docs/connect.md", () => {
  const page = read("connect.md")
  const requests = new Map(blocks("http", page))
  const answers = new Map(blocks("json", page))
  const answerOf = (heading: string) => JSON.parse(answers.get(heading)!) as Record<string, unknown>

  /** Sends the request below a heading. @param values replace the placeholders of the page */
  async function send(heading: string, values: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const given = { "https://api.example.com": inject("stackUrl"), "mv_live_…": env.KEY!, ...values }
    const text = Object.entries(given).reduce((all, [from, to]) => all.replaceAll(from, to), requests.get(heading)!)
    const [head = "", body] = text.split("\n\n")
    const [line = "", ...headers] = head.trimEnd().split("\n")
    const [method = "", url = ""] = line.split(" ")
    const init = { method, headers: headers.map((one) => one.split(": ", 2) as [string, string]) }
    const response = await fetch(url, body === undefined ? init : { ...init, body })
    const answer = (await response.json()) as unknown
    expect([heading, response.status, answer]).toEqual([heading, 200, expect.anything()])
    return answer
  }

  test("every request has an answer, and only the webhook has no request", () => {
    expect([...requests.keys(), "Receive the webhook when the list is done"].toSorted()).toEqual(
      [...answers.keys()].toSorted(),
    )
  })

  test.each(["Verify one address and branch", "Add to the suppression list"])("%s", async (heading) => {
    expect(await send(heading)).toMatchObject(answerOf(heading))
  })

  test("a list is uploaded, its webhook arrives, and its results are fetched", async () => {
    const receiver = await WebhookReceiver.start(inject("webhookHost"), {})
    try {
      const [upload, done, fetched] = [
        "Upload a list",
        "Receive the webhook when the list is done",
        "Fetch the results of a list",
      ]
      const hook = { "https://hooks.example.com/list-done": `${receiver.url}/list-done` }
      expect(await send(upload!, hook)).toMatchObject(answerOf(upload!))
      const { body } = await receiver.request("/list-done")
      const event = JSON.parse(body) as { data: { job_id: string } }
      const { data, ...rest } = answerOf(done!) as { data: object }
      expect(event).toMatchObject({ ...rest, data: { ...data, job_id: expect.stringMatching(/^job_\w+$/) } })
      const results = await send(fetched!, { "{job_id}": event.data.job_id })
      expect(results).toMatchObject(answerOf(fetched!))
    } finally {
      await receiver.stop()
    }
  })
})
