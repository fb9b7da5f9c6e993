import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { mineEmails } from "../../../src/domain/finder/mine-emails.ts"
import { runToTheEnd } from "../../support/time/bounded-work.ts"

/** Characters of a page. */
const SIZE = 1_000_000
const emails = (input: string, domain?: string) => mineEmails(input, domain).map(({ email }) => email)

const cloudflare = (address: string) =>
  [0x42, ...new TextEncoder().encode(address).map((byte) => byte ^ 0x42)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")

describe("addresses are found in every notation", () => {
  test.each([
    ["plain", "Write to jane.doe@example.com.", "jane.doe@example.com"],
    ["in angle brackets", "Jane <jane@example.com>", "jane@example.com"],
    ["with a tag", "jane+news@example.co.uk,", "jane+news@example.co.uk"],
    ["a link", '<a href="mailto:jane%40example.com?subject=Hi">Write</a>', "jane@example.com"],
    ["references", "jane&#64;example&#x2e;com", "jane@example.com"],
    ["named references", "jane&commat;example&period;com", "jane@example.com"],
    [
      "Cloudflare",
      `<a data-cfemail="${cloudflare("jane@example.com")}">[email&#160;protected]</a>`,
      "jane@example.com",
    ],
    ["(at) and (dot)", "jane (at) example (dot) com", "jane@example.com"],
    ["(at) and dot", "jane.doe (at) example dot com", "jane.doe@example.com"],
    ["[at]", "jane[at]example.com", "jane@example.com"],
    ["{at} and {dot}", "jane{at}example{dot}com", "jane@example.com"],
    ["AT and DOT", "jane AT example DOT com", "jane@example.com"],
    ["spaces", "jane @ example . com", "jane@example.com"],
    ["<at>", "jane &lt;at&gt; example.com", "jane@example.com"],
    ["_at_", "jane_at_example_dot_com", "jane@example.com"],
    ["arroba and punto", "jane (arroba) example (punto) es", "jane@example.es"],
    ["a tag inside", "jane<b>@</b>example.com", "jane@example.com"],
    ["a hidden decoy", 'jane@<span style="display:none">null</span>example.com', "jane@example.com"],
    ["zero-width spaces", "jane\u200b@\u200bexample.com", "jane@example.com"],
    ["a comment inside", "jane<!-- no -->@example.com", "jane@example.com"],
    ["letters beyond ASCII", "josé@exámple.com", "josé@xn--exmple-qta.com"],
    ["a sentence after", "jane at example dot com or call us", "jane@example.com"],
    ["an apostrophe in the name", "Write to o'brien@example.com.", "o'brien@example.com"],
    ["an apostrophe before (at)", "o'brien (at) example (dot) com", "o'brien@example.com"],
    ["an apostrophe and an accent", "o'joão@example.com", "o'joão@example.com"],
    ["an accent in the name", "joão@example.com", "joão@example.com"],
    ["single quotes", "mail('jane@example.com')", "jane@example.com"],
    ["a genitive", "jane (at) example (dot) com's box", "jane@example.com"],
    ["underscores and two dots", "jane_doe_at_example_dot_co_dot_uk", "jane_doe@example.co.uk"],
    ["a link with spaces", "<a class=x href = ' mailto:jane@example.com ' id=y>Write</a>", "jane@example.com"],
    ["a link to many", `<a href="mailto:jane@example.com,${"x,".repeat(300)}">All</a>`, "jane@example.com"],
    ["a link after another column", "https://example.com,jane@example.com", "jane@example.com"],
    ["a parameter", "https://example.com/?to=jane@example.com", "jane@example.com"],
    ["mailto://", "mailto://jane@example.com", "jane@example.com"],
    ["<at> unescaped", "jane<at>example<dot>com", "jane@example.com"],
    ["a JSON escape", '{"email":"jane\\u0040example.com"}', "jane@example.com"],
    ["a script's escape", "jane\\x40example.com", "jane@example.com"],
    ["an encoded parameter", "https://example.com/?to=jane%40example.com", "jane@example.com"],
    ["wide letters", "jane＠example．com", "jane@example.com"],
    ["AT in capitals", "jane.doe AT example.com", "jane.doe@example.com"],
    ["(a)", "jane(a)example.com", "jane@example.com"],
    ["[a]", "jane.doe[a]example.com", "jane.doe@example.com"],
    ["only the dot spelled out", "jane@example(dot)com", "jane@example.com"],
    ["only the dot in brackets", "jane@example[.]com", "jane@example.com"],
    ["arroba and punto without brackets", "jane.doe arroba example punto es", "jane.doe@example.es"],
    ["emphasis", "_jane@example.com_", "jane@example.com"],
    ["an underscore in front", "Write to _jane_@example.com", "_jane_@example.com"],
    ["a word of another script before", "邮箱jane@example.com", "jane@example.com"],
  ])("%s", (_, input, email) => {
    expect(emails(input)).toEqual([email])
  })
})

describe("other text is not an address", () => {
  test.each([
    ["a picture for good screens", '<img src="logo@2x.png">text logo@2x.png'],
    ["a package", "npm i left-pad@1.3.0"],
    ["at in a sentence", "Meet us at example street dot the i"],
    ["a script", "<script>var a = 'jane@example.com'</script>"],
    ["an obfuscated address with an unknown top-level domain", "jane (at) example (dot) notatld"],
    ["a password in a URL", "https://bob:hunter2@intranet.example.com/x"],
    ["a password in a link's text", "<p>ftp://bob:h.u-n'ter@example.com</p>"],
    ["AT in a sentence of capitals", "MEET US AT EXAMPLE.COM"],
    ["a clause", "as in (a) example.com and (b) example.org"],
    ["a user's page", "https://example.com/%40jane"],
    ["a user in a URL", "git clone ssh://git@example.com/tool"],
    ["nothing", ""],
  ])("%s", (_, input) => {
    expect(emails(input)).toEqual([])
  })
})

test("an address is returned once, with its link's text", () => {
  const page = '<a href="mailto:jd@example.com">Jane Doe</a> jd@example.com JD@EXAMPLE.com'
  expect(mineEmails(page)).toEqual([{ email: "jd@example.com", writing: "mailto", label: "Jane Doe" }])
})

test("a site's own domain is accepted under any top-level domain", () => {
  expect(emails("jane (at) company (dot) test", "company.test")).toEqual(["jane@company.test"])
})

test("every plain address between other words is found", () => {
  const word = fc.stringMatching(/^[a-z]{2,10}$/)
  fc.assert(
    fc.property(word, word, word, (local, host, noise) => {
      expect(emails(`${noise} ${local}@${host}.com ${noise}`)).toEqual([`${local}@${host}.com`])
    }),
  )
})

test("any text is read without an error", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => void emails(text)))
})

test.each(["a.", "a@", "a (at) ", "<a href=", "&#", "a at b dot ", "<!--", "a-", "@.", "<span style='display:none'>"])(
  "a page full of %j takes linear time",
  (piece) => void runToTheEnd(() => emails(piece.repeat(SIZE / piece.length))),
)

test.each([
  ["", "a_dot_"],
  ["", "_at_"],
  ["", "a'"],
  ["", "a\u0301"],
  ["", "://a:"],
  ["", "a AT "],
  ["", "a arroba "],
  ["", "a(a)"],
  ["", "%40a"],
  ["", "_a"],
  ["<a href=", " "],
  ["<a href=mailto:x", "."],
  ["<a ", "href=mailto:aaa"],
  ["<a ", "href=mailto:aaa "],
])("a page of %j followed by many %j takes linear time", (start, piece) => {
  runToTheEnd(() => emails(start + piece.repeat(SIZE / piece.length)))
})
