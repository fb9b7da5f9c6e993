import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { newKey } from "../support/stack/account.ts"
import { type CliRun, jsonLines, runCli } from "../support/stack/run-cli.ts"
import { eventually } from "../support/time/until.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-commands-"))
const [table, messy, out] = ["people.csv", "messy.csv", "out.csv"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]
let env: Record<string, string>
let operatorEnv: Record<string, string>
/** Identifiers that the commands of this file take. */
const ids = { job: "", key: "", endpoint: "", tested: "", event: "" }

/** Endpoints that get no event of a list: their deliveries change only by the calls of this file. */
const OWN_EVENTS = ["--events", "usage.threshold"]

const onTerminal = (args: readonly string[], more = env) => runCli(args, { env: more, columns: 120 })
const inPipe = (args: readonly string[], more = env) => runCli(args, { env: more })
const first = ({ stdout }: CliRun) => jsonLines(stdout)[0] as Record<string, string>

beforeAll(async () => {
  env = { MAILVERDICT_URL: inject("stackUrl"), MAILVERDICT_API_KEY: (await newKey()).secret }
  operatorEnv = { ...env, MAILVERDICT_ADMIN_SECRET: inject("adminSecret") }
  writeFileSync(table, "Name,Mail\nBob,no-1@d0511.test\nZoë,user1@d0511.test\n")
  writeFileSync(messy, "Report;\n;\nOwner;Mail\nrep@d0511.test;user1@d0511.test, user2@d0511.test\n")
  ids.job = first(await inPipe(["lists", "upload", table, "--poll", "1", "--out", out])).job_id!
  ids.key = first(await inPipe(["keys", "create", "commands", "--json"])).key_id!
  ids.endpoint = first(await inPipe(["webhooks", "add", "poll:commands", "--json", ...OWN_EVENTS])).endpoint_id!
  ids.tested = first(await inPipe(["webhooks", "add", "poll:commands-tested", "--json", ...OWN_EVENTS])).endpoint_id!
  ids.event = first(await inPipe(["webhooks", "test", ids.endpoint])).event_id!
  await eventually(async () => expect((await inPipe(["webhooks", "deliveries"])).stdout).toContain("delivered"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Each command, what a terminal shows, and the exit code. */
const COMMANDS: readonly (readonly [args: () => string[], shown: RegExp, code?: number])[] = [
  [() => [], /^account +owner@mailbox\.test\ncredits left +unlimited\n[\s\S]*Next:\n {2}mailverdict verify/],
  [
    () => ["verify", "alice@mailbox.test"],
    /^alice@mailbox\.test {2}valid {2}\d+\/100 {2}send\n {2}reason +mailbox ver/,
  ],
  [
    () => ["verify", "alice@mailbox.test", "nobody@mailbox.test"],
    /^EMAIL +STATUS +SCORE[\s\S]*\nnobody\S+ +invalid/,
    1,
  ],
  [() => ["verify", "alice@mailbox.test", "--explain"], /\nPHASE +FACT +VALUE +POINTS\n[\s\S]*\n> RCPT TO/],
  [() => ["find", "Alice", "Smith", "mailbox.test"], /^EMAIL +CONFIDENCE +VERIFIED +SMTP\nalice\S* +\d+ % +yes/],
  [() => ["domain", "mailbox.test"], /^domain +mailbox\.test\n[\s\S]*\nmail hosts +mx\.mailbox\.test\ncatch-all +no\n/],
  [() => ["lists", "cost", table], /\nemail column +Mail\nrows +2\naddresses +2\ncost +at most 2 credits\n/],
  [
    () => ["lists", "cost", messy],
    /\nemail column +Mail\nnot verified +Owner\nleft out above +2 rows\nseveral in a cell +1 cell\nrows +2\n/,
  ],
  [() => ["lists", "sample", table], /\nsample +2 addresses\n[\s\S]*RESULT +EXPECTED +SHARE\nvalid +1 /],
  [() => ["lists", "watch", ids.job], /\nstate +complete\naddresses +2\n {2}valid +1\n {2}invalid +1\n/],
  [() => ["lists", "report", ids.job], /\ngrade +[A-F] \(\d+\/100\)\n[\s\S]*\nRESULT +COUNT +SHARE\nvalid +1 +50 %/],
  [() => ["lists", "list"], /^JOB ID +FILE +STATE +DONE +TOTAL +SENDABLE +CREDITS +SUBMITTED\njob_/],
  [
    () => ["whoami"],
    /^account +owner@mailbox\.test\nplan +enterprise\nservice +http[\s\S]*\nkey from +MAILVERDICT_API_KEY\n/,
  ],
  [() => ["usage"], /^plan +enterprise\nmonth +\d{4}-\d\d\nused +\d+ of unlimited\n/],
  [() => ["keys", "list"], /^KEY ID +NAME +KEY +STATE +PLAN +CREDITS +SCOPES +LAST USED\nkid_/],
  [() => ["keys", "restrict", ids.key, "--scopes", "verify,lists"], /\nscopes +verify, lists\nnetworks +all\n/],
  [() => ["keys", "restrict", ids.key, "--scopes", "none"], /\nscopes +all\n/],
  [
    () => ["suppress", "add", "ada@mailbox.test", "--reason", "unsubscribe"],
    /^entry +ada@mailbox\.test\nchange +\w+\n/,
  ],
  [() => ["suppress", "add", "cli.test", "--expires-in-days", "2"], /^entry +cli\.test\n[\s\S]*\nexpires +\d{4}-/],
  [() => ["suppress", "list"], /^ENTRY +REASON +SOURCE +SINCE +EXPIRES\n/],
  [() => ["suppress", "import", out], /^added +\d\nupdated +\d\n/],
  [() => ["webhooks", "list"], /^ENDPOINT ID +URL +STATE +LAST ATTEMPT +EVENTS\nwhe_\w+ +poll:commands\S* +active/],
  [
    () => ["webhooks", "test", ids.tested],
    /^event +evt_\S+\noutcome +mailverdict webhooks deliveries --endpoint-id whe_/,
  ],
  [
    () => ["webhooks", "deliveries", "--endpoint-id", ids.endpoint, "--state", "delivered"],
    /^EVENT ID +TYPE[\s\S]*\nevt_\S+ +webhook\.test +delivered/,
  ],
  [() => ["webhooks", "redeliver", ids.event], /^event +evt_\S+\nstate +pending\n/],
  [() => ["nodes", "list"], /^NODE ID +REGION +STATE +OWNER[\s\S]*\nlocal-1 +local +healthy/],
]

describe("each command", () => {
  test.each(
    COMMANDS.map(
      ([args, ...rest]) =>
        [
          args()
            .map((arg) => arg || "…")
            .join(" "),
          args,
          ...rest,
        ] as const,
    ),
  )("%s: words on a terminal, JSON lines in a pipe and with --json", async (_, args, shown, code = 0) => {
    // The second run of a change finds it made: exit codes stay.
    const words = await onTerminal(args())
    expect(words).toMatchObject({ code, stdout: expect.stringMatching(shown) })
    expect(words.stdout).not.toContain("\u001b")
    for (const line of words.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(200)
    const piped = await inPipe(args())
    expect(piped.code).toBe(code)
    expect(jsonLines(piped.stdout)).not.toEqual([])
    const asked = await onTerminal([...args(), "--json"])
    expect(asked.code).toBe(code)
    expect(jsonLines(asked.stdout).length).toBe(jsonLines(piped.stdout).length)
  })

  test("that ends something says so in both modes", async () => {
    const added = async () => first(await inPipe(["webhooks", "add", `poll:${crypto.randomUUID()}`])).endpoint_id!
    expect(await onTerminal(["webhooks", "remove", await added()])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/state +removed/),
    })
    expect(first(await inPipe(["webhooks", "remove", await added()]))).toMatchObject({ deleted: true })
    const created = async () => first(await inPipe(["keys", "create", "ends", "--json"]))
    expect((await onTerminal(["keys", "revoke", (await created()).key_id!])).stdout).toMatch(/state +revoked/)
    const key = await created()
    const rotated = await inPipe(["keys", "rotate", key.key_id!])
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^mv_live_[0-9A-Za-z]{38}\n$/) })
    expect(rotated.stderr).toMatch(/ replaces kid_\w+\. Store it/)
    await inPipe(["suppress", "add", "bob@ends.test"])
    await inPipe(["suppress", "add", "ends.test"])
    const covered = await onTerminal(["suppress", "remove", "bob@ends.test"])
    expect(covered).toMatchObject({ code: 1, stdout: expect.stringContaining("by the account's entry for ends.test") })
    expect(first(await inPipe(["suppress", "remove", "@ends.test"]))).toMatchObject({ still_suppressed: false })
    const slow = await runCli(["lists", "upload", "-", "--no-wait"], { env, input: "a@tarpit.test\n" })
    const { job_id } = first(slow)
    expect(await onTerminal(["lists", "cancel", job_id!])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/state +canceled/),
    })
    expect(await onTerminal(["lists", "watch", job_id!])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/state +canceled/),
    })
    expect(await onTerminal(["lists", "cancel", job_id!])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/already over/),
    })
  })

  test("of the operator takes MAILVERDICT_ADMIN_SECRET", async () => {
    const doctor = (...args: string[]) => onTerminal(["nodes", "doctor", ...args], operatorEnv)
    // A cron checks the nodes once a minute.
    await expect.poll(async () => (await doctor()).stdout).toMatch(/blocklists/)
    expect((await doctor()).stdout).toMatch(/^local-1 {2}local {2}healthy {2}\d+ ms round trip {2}\d+ % load\n/)
    expect(jsonLines((await doctor("local-1", "--json")).stdout)).toMatchObject([{ id: "local-1", state: "healthy" }])
    const none = { code: 2, stdout: "", stderr: "mailverdict: the service has no probe node moon-1\n" }
    expect(await doctor("moon-1")).toEqual(none)
    const own = await onTerminal(["nodes", "doctor"])
    expect(own.stderr).toBe("mailverdict: your account has no probe nodes; MAILVERDICT_ADMIN_SECRET shows all nodes\n")
    expect(await onTerminal(["nodes", "doctor"], { MAILVERDICT_URL: inject("stackUrl") })).toMatchObject({ code: 2 })
  })
})

test("suppress export writes a file, or to standard output", async () => {
  await inPipe(["suppress", "add", "eve@export.test"])
  const file = join(folder, "suppressed.csv")
  expect(await onTerminal(["suppress", "export", "--out", file])).toMatchObject({ code: 0, stdout: `file  ${file}\n` })
  expect(readFileSync(file, "utf8")).toContain("eve@export.test")
  expect((await inPipe(["suppress", "export"])).stdout).toBe(readFileSync(file, "utf8"))
})

test("an import with a bad row names it and exits with 1", async () => {
  const rows = await runCli(["suppress", "import", "-"], { env, input: "email\nok@import.test\nnonsense\n" })
  expect(rows).toMatchObject({ code: 1, stderr: expect.stringMatching(/^row 3: /) })
})

test("an import names the reasons that it does not know", async () => {
  const input = "email,reason\nodd@import.test,asked by phone\n"
  const rows = await runCli(["suppress", "import", "-"], { env, input })
  expect(rows).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^unknown reason in 1 row, .*: asked by phone\n$/),
  })
})

describe("an error names the flag or the argument", () => {
  test.each([
    [["webhooks", "add", "ftp://example.com"], "<url>: must begin with https://"],
    [["keys", "create", "x", "--expires-at", "yesterday"], "--expires-at: "],
    [["keys", "create", "x", "--networks", "1.2.3"], "--networks: must be an IP address or a network"],
    [["keys", "create", "x", "--origins", "example.com"], "--origins: "],
    [["keys", "create", "x", "nonsense"], "<owner-email>: "],
    [
      ["keys", "create", "x", "--scopes", "all"],
      `option '--scopes <scopes>' argument 'all' is invalid. "all" is not all`,
    ],
    [
      ["webhooks", "listen", "--forward-to", "localhost:3000"],
      '--forward-to: "localhost:3000" is not an http or https',
    ],
    [["webhooks", "listen", "--forward-to", "http://localhost:1", "--secret", "x y"], "--secret: must be"],
    [["webhooks", "add", "https://a.test", "--events", "job.done"], '"job.done" is not allowed. Allowed: job.partial'],
    [["lists", "list", "--limit", "0"], "option '--limit <count>' argument '0' is invalid"],
    [["lists", "upload", "/nonexistent/list.csv"], "<file>: cannot read /nonexistent/list.csv"],
    [["suppress", "list", "--search", "ada"], "--search: "],
    [["find", "", "King", "example.com"], "<first>: "],
    [["keys", "restrict", "kid_1"], "nothing to change. Name --scopes"],
    [["verify", "a@b.test", "--url", "localhost"], '--url: "localhost" is not an http or https URL'],
    [["usage", "--api-key", "mv live"], "--api-key: the API key contains invalid characters"],
    [["usage", "--api-key", "mv_live_1"], "To sign in again: mailverdict login"],
    [["keys", "rotat"], "unknown command 'rotat'\n(Did you mean rotate?)"],
  ])("%j", async (args, message) => {
    const refused = await inPipe(args)
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/^mailverdict: /) })
    expect(refused.stderr).toContain(message)
  })
})
