import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { TABLES } from "../../../src/adapters/lists/tables.ts"
import { fileFacts, ReadBudget, readTable, type TableFile } from "../../../src/services/lists/read-table.ts"
import { testContext } from "../../support/deps/context.ts"
import { tableFile } from "../../support/inputs/table-file.ts"

/** Reads a file as uploads, previews and imports do. */
async function read(file: Uint8Array | string, said: Partial<TableFile> = {}) {
  const ctx = testContext({ tables: TABLES, memoryRateLimiter: { reserve: () => true } })
  const opened = await readTable(ctx, new ReadBudget(ctx, "x", () => undefined), tableFile(file, said))
  const rows: (readonly string[])[] = []
  const addresses: string[] = []
  for await (const { cells, address } of opened.rows) {
    rows.push(cells)
    if (address) addresses.push(address.email)
  }
  const width = Math.max(0, ...[opened.header ?? [], ...rows].map(({ length }) => length))
  const names = Array.from({ length: width }, (_, at) => opened.header?.[at] ?? `column_${at + 1}`)
  return { rows, addresses, facts: fileFacts(opened, names) }
}
const refusal = (file: Uint8Array | string, said: Partial<TableFile> = {}) =>
  read(file, said).then(
    () => "read",
    (error: Error) => error.message,
  )
const users = (count: number, domain = "mailbox.test") =>
  Array.from({ length: count }, (_, at) => `user${at + 1}@${domain}`)
const lines = (...rows: string[]) => `${rows.join("\n")}\n`

describe("the addresses of a file", () => {
  const [A, B, C] = users(3)
  test.each<[what: string, file: string, said: Partial<TableFile>, addresses: readonly string[]]>([
    ["commas in a text file", lines("name,email", `Ann,${A}`, `Bob,${B}`, `Cid,${C}`), { isText: true }, users(3)],
    ["decimal commas", lines(`1,50;${A};1,75`, `2,50;${B};2,75`), {}, users(2)],
    ["commas in names", lines("Name, Vorname;E-Mail", `Roe, Ann;${A}`, `Doe, Bob;${B}`), {}, users(2)],
    ["commas in names without a header", lines(`Roe, Ann;${A}`, `Doe, Bob;${B}`), {}, users(2)],
    [
      "quotes behind backslashes",
      lines("id,company,email", `1,"Shop \\"North, South\\" Ltd",${A}`, `2,"Plain",${B}`),
      {},
      users(2),
    ],
    ["a cell with semicolons", lines('"ID","Email"', `"1","${A}"`, `"2","${B};${C}"`), {}, users(3)],
    ["a cell with colons", lines("Name,E-mail 1 - Value", `Ann,${A}`, `Bob,${B} ::: ${C}`), {}, users(3)],
    ["one line with commas", lines(users(3).join(",")), {}, users(3)],
    ["one line with semicolons", lines(users(3).join("; ")), {}, users(3)],
    ["one line of text with semicolons", lines(users(3).join("; ")), { isText: true }, users(3)],
    ["one line with names", `Roe, Ann <${A}>; Doe, Bob <${B}>; Low, Cid <${C}>`, { isText: true }, users(3)],
    ["lines that end with a semicolon", lines(`${A};`, `${B};`, `${C};`), {}, users(3)],
    ["carets", lines("name^email", `Ann^${A}`, `Bob^${B}`), {}, users(2)],
    ["colons", lines("name:email", `Ann:${A}`, `Bob:${B}`), {}, users(2)],
    ["declared carets", lines("sep=^", "Name^Email", `Ann^${A}`), {}, users(1)],
    [
      "a comma in a name above many rows",
      lines("Name, Vorname;E-Mail", ...Array<string>(120).fill("Roe, Ann;"), `Doe, Bob;${A}`),
      {},
      users(1),
    ],
    ["lines in single quotes", lines(`'${A}',`, `'${B}',`, `'${C}'`), {}, users(3)],
    ["a numbered list", lines(`1. ${A}`, `2. ${B}`), { isText: true }, users(2)],
    ["labels", lines(`mail: ${A}`, `mail: ${B}`), {}, users(2)],
    ["a title above a line of addresses", lines("Recipients", users(3).join(", ")), {}, users(3)],
    ["one line of 20,000 addresses", users(20_000).join(";"), {}, users(20_000)],
    [
      "notes above",
      lines(
        "Notes:",
        '"Some have no address, so the column may be empty."',
        "",
        "First,Last,Email Address,Co",
        `Ann,Roe,${A},X`,
        `Bob,Doe,${B},Y`,
      ),
      {},
      users(2),
    ],
    [
      "notes above, and no address in 150 rows",
      lines("Notes:", "", "First,Email Address", ...Array<string>(150).fill("Ann,"), `Bob,${A}`),
      {},
      users(1),
    ],
    [
      "titles above",
      lines("Customer report;;", "Created 2026-01-31;;", ";;", "No.;Customer;E-Mail", `1;Ann;${A}`),
      {},
      users(1),
    ],
    ["a long note", lines("email,note", `${A},"${"word ".repeat(20_000)}"`, `${B},x`), {}, users(2)],
    [
      "the download of a list",
      lines("email,name,status", `"'+ann@mailbox.test",A,unknown`, `${A},"'=1+1",valid`),
      {},
      ["+ann@mailbox.test", A!],
    ],
    ["a NUL at the begin", lines("email,note", `${A},a\0b`, `${B},x`), {}, users(2)],
    [
      "a NUL behind a megabyte",
      lines("email,note", ...Array<string>(200).fill(`${A},${"n".repeat(6_000)}`), `${B},a\0b`),
      {},
      [...Array<string>(200).fill(A!), B!],
    ],
  ])("%s", async (_, file, said, addresses) => {
    expect((await read(file, said)).addresses).toEqual(addresses)
  })

  test("are in the contacts' column, and the answer names the other", async () => {
    const owners = await read(
      lines(
        "Name,Contact Owner,Email",
        ...[1, 2, 3, 4].map((n) => `N${n},rep${n % 2}@office.test,${n > 2 ? "" : `user${n}@mailbox.test`}`),
      ),
    )
    expect(owners).toMatchObject({
      addresses: users(2),
      facts: { emailColumn: "Email", otherAddressColumns: ["Contact Owner"] },
    })
    const senders = await read(
      lines("from,to", `news@office.test,${A}`, `news@office.test,user2@@mailbox.test`, `news@office.test,${C}`),
    )
    expect(senders.facts).toMatchObject({ emailColumn: "to", otherAddressColumns: ["from"] })
  })

  test("of one cell have a row each, with the other cells", async () => {
    const { rows, facts } = await read(lines("id,email,note", `1,Ann <${A}>; ${B},x`, `2,${C},y`))
    expect(rows).toEqual([
      ["1", A, "x"],
      ["1", B, "x"],
      ["2", C, "y"],
    ])
    expect(facts).toMatchObject({ splitCells: 1 })
  })

  test("of one long row have the other cells once", async () => {
    const { rows } = await read(lines("id,email,note", `1,${users(3_000).join(";")},x`))
    expect(rows).toHaveLength(3_000)
    expect([rows[0]![2], rows[1]![2]]).toEqual(["x", ""])
  })

  test("keep their letters when a byte elsewhere is damaged, and the damage is counted", async () => {
    const file = new Uint8Array(Buffer.from("email,note\nalice@bücher.test,läuft\ncarol@mailbox.test,M?nchen\0\n"))
    const { addresses, facts } = await read(file.with(file.indexOf(0x3f), 0xfc))
    expect(addresses).toEqual(["alice@bücher.test", "carol@mailbox.test"])
    expect(facts).toMatchObject({ encoding: "utf-8", unreadableCharacters: 2 })
  })

  test("are read in UTF-16 without a mark, also in a script of two bytes", async () => {
    const text = lines(
      "会社,氏名,メール",
      ...users(30).map((user, at) => `東京電力株式会社本店営業部第${at},山田太郎,${user}`),
    )
    for (const isBig of [false, true]) {
      const bytes = Buffer.from(text, "utf16le")
      const { addresses, facts } = await read(new Uint8Array(isBig ? bytes.swap16() : bytes))
      expect({ addresses, encoding: facts.encoding }).toEqual({
        addresses: users(30),
        encoding: isBig ? "utf-16be" : "utf-16le",
      })
    }
  })

  test("are read in the encoding that the caller names", async () => {
    const cyrillic = Uint8Array.from(
      Buffer.from("c8ecff3bcfeef7f2e00ac8e2e0ed3b75736572314064303330312e746573740a", "hex"),
    )
    expect(await refusal(cyrillic)).toContain("neither UTF-8 nor Windows-1252")
    const { rows, facts } = await read(cyrillic, { encoding: "CP1251" })
    expect({ rows, facts }).toMatchObject({ rows: [["Иван", "user1@d0301.test"]], facts: { encoding: "windows-1251" } })
    expect(await refusal(cyrillic, { encoding: "klingon" })).toContain("is no encoding")
  })
})

test("the addresses of a table are found for every delimiter, line end, quoting, title, column order and encoding", async () => {
  const name = fc.constantFrom("Roe, Ann", "Doe; Bob", 'Cid "C" Low', "Åsa Öberg", "x|y", "")
  const table = fc.array(fc.tuple(name, fc.constantFrom("rep@office.test", "", "1,50")), {
    minLength: 3,
    maxLength: 12,
  })
  const dialect = fc.record({
    delimiter: fc.constantFrom(",", ";", "\t", "|"),
    end: fc.constantFrom("\n", "\r\n", "\r"),
    quotes: fc.constantFrom("always", "needed"),
    titles: fc.constantFrom([], ["Report"], ["Report", "of May"]),
    first: fc.boolean(),
    encoding: fc.constantFrom<BufferEncoding>("utf8", "utf16le", "latin1"),
    mark: fc.boolean(),
  })
  const property = fc.asyncProperty(
    table,
    dialect,
    async (given, { delimiter, end, quotes, titles, first, encoding, mark }) => {
      const cell = (text: string) =>
        quotes === "always" || /["\r\n]/.test(text) || text.includes(delimiter)
          ? `"${text.replaceAll('"', '""')}"`
          : text
      const emails = users(given.length)
      const record = (...[email, person, other]: string[]) =>
        (first ? [email!, person!, other!] : [person!, other!, email!]).map(cell).join(delimiter)
      const text = [
        ...titles.map(cell),
        record("E-Mail", "Name", "Owner"),
        ...given.map(([person, other], at) => record(emails[at]!, person, other)),
      ].join(end)
      const hasMark = mark && encoding !== "latin1"
      const { addresses, facts } = await read(
        new Uint8Array(Buffer.from(`${hasMark ? "\ufeff" : ""}${text}`, encoding)),
      )
      expect(addresses).toEqual(emails)
      expect(facts).toMatchObject({ emailColumn: "E-Mail", skippedRows: titles.length, unreadableCharacters: 0 })
    },
  )
  await fc.assert(property, { numRuns: 300 })
})

describe("a file that is no list", () => {
  test.each<[what: string, file: string, words: string]>([
    ["HTML", "<html><body><table><tr><td>user1@mailbox.test</td></tr></table></body></html>", "a web page (HTML)"],
    ["HTML with a mark", "\ufeff<!DOCTYPE html>\n<p>a@b.test", "a web page (HTML)"],
    [
      "a spreadsheet in XML",
      '<?xml version="1.0"?><Workbook xmlns="urn:x"><Cell>a@b.test</Cell></Workbook>',
      "an XML document",
    ],
    ["a vCard", "BEGIN:VCARD\r\nVERSION:3.0\r\nEMAIL;TYPE=WORK:user1@mailbox.test\r\nEND:VCARD\r\n", "a vCard file"],
    ["LDIF", "version: 1\n\ndn: cn=Ann\nmail: ann@mailbox.test\n", "an LDIF file"],
    ["NDJSON", '{"email":"ann@mailbox.test"}\n{"email":"bob@mailbox.test"}\n', "JSON"],
    ["an array of JSON", '[\n  "ann@mailbox.test"\n]', "JSON"],
    ["RTF", "{\\rtf1\\ansi ann@mailbox.test}", "an RTF document"],
    ["PDF", "%PDF-1.7\n%\u00e2\u00e3 ann@mailbox.test", "a PDF document"],
    ["a mailbox", "From ann@mailbox.test Mon Jan  1 00:00:00 2026\nSubject: x\n", "a mail or a mailbox"],
    ["SQL", "INSERT INTO users VALUES ('ann@mailbox.test');", "a script of SQL statements"],
    ["bytes", `${"\u0001\u0002\u0003".repeat(99)}ann@mailbox.test`, "no text and no Excel workbook"],
    ["prose", "Dear all,\nplease write to us.\n", "no address column was found: the first 2 rows"],
    ["a mail", "From: Ann <ann@mailbox.test>\nTo: bob@mailbox.test\nSubject: x\n\nHello\n", "a mail or a mailbox"],
    ["YAML", "emails:\n  - ann@mailbox.test\n", "YAML"],
    ["a dump of Postgres", "COPY public.users (id, email) FROM stdin;\n1\tann@mailbox.test\n", "a script of SQL"],
    ["a dump of MySQL", "-- MySQL dump\n\n/*!40101 SET NAMES utf8 */;\nINSERT INTO", "a script of SQL"],
    ["columns of spaces", "Name        Email\nAnn Roe     ann@mailbox.test\n", "no address column was found"],
    ["lines in quotes", '"Name,Email"\n"Ann,ann@mailbox.test"\n', "no address column was found"],

    [
      "257 columns",
      `email${",p".repeat(256)}\nann@mailbox.test${",".repeat(256)}\n`,
      "line 1 has more than 256 columns",
    ],
  ])("%s is refused by its name", async (_, file, words) => {
    expect(await refusal(file)).toContain(words)
  })
})
