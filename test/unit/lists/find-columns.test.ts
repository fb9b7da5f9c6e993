import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { findColumns } from "../../../src/domain/lists/find-columns.ts"

type Table = readonly (readonly string[])[]
const rows = (text: string): Table => text.split("\n").map((line) => line.split(","))
const found = (text: string, wanted: string | null = null) => {
  const columns = findColumns(rows(text), wanted)
  return columns && [columns.column, columns.header, ...columns.otherColumns]
}

/** Column, header and other columns with addresses. */
type Expected = readonly [column: number, header: number | null, ...others: number[]] | null

describe("the column of addresses and the header", () => {
  test.each<[what: string, table: string, expected: Expected]>([
    ["by name and content", "Name,E-mail\nx,a@b.test", [1, 0]],
    ["by content against the name", "email,contact\nyes,a@b.test", [1, 0]],
    ["by name of two similar columns", "cc,email address\nc@d.test,a@b.test", [1, 0, 0]],
    ["without a header", "x,a@b.test\ny,c@d.test", [1, null]],
    ["one record", "x,a@b.test", [1, null]],
    ["by name alone", "id,E_Mail\n1,", [1, 0]],
    ["in another language", "nom,Adresse e-mail\na,?", [1, 0]],
    ["nonsense", "broken\nworse", null],
    ["a malformed first line", "a@@b\na@b.test", [0, null]],
    ["a cell with @ names no column", "jane@@mail.com\na@b.test", [0, null]],
    ["a heading", "Recipients\na@b.test", [0, 0]],
    ["display names", "person\nAnn <a@b.test>", [0, 0]],
    ["no address column", "a,b\n1,2", null],
    ["an owner in every row", "Name,Owner,Mailbox\nA,r@o.test,a@b.test\nB,r@o.test,\nC,r@o.test,c@b.test", [2, 0, 1]],
    ["a sender in every row", "from,to\nn@o.test,a@b.test\nn@o.test,b@@b.test", [1, 0, 0]],
    ["a sparse Email beside many owners", "Contact owner,Email\nr@o.test,\ns@o.test,\nt@o.test,a@b.test", [1, 0, 0]],
    ["an empty Email beside owners", "Contact owner,Email\nr@o.test,\ns@o.test,", [1, 0, 0]],
    ["an email of the owner", "Owner email,Contact\nr@o.test,a@b.test\ns@o.test,c@b.test", [1, 0, 0]],
    ["titles above", "Report,,\nof May,,\nNo,Name,E-Mail\n1,A,a@b.test", [2, 2]],
    ["titles above unknown names", "Report,,\nNo,Name,Kontakt\n1,A,a@b.test", [2, 1]],
    ["a note that mentions email", "Our email list\n\nName,Mail\nA,a@b.test", [1, 2]],
    ["an exporter's address above", "Exported by,x@y.test,\n,,\nName,Email,City\nA,a@b.test,C\nB,b@b.test,C", [1, 2]],
    ["rows without an address first", "Name,Email\nA,\nB,\nC,c@b.test", [1, 0]],
    ["a list with a title", "Newsletter\na@b.test\nb@b.test", [0, 0]],
    ["a message's id", "message_id,rcpt\n<1@mx.test>,a@b.test\n<2@mx.test>,c@b.test\n<3@mx.test>,c@b.test", [1, 0, 0]],
    ["who changed it", "Last Modified By,Contact\nr@o.test,a@b.test\ns@o.test,\nt@o.test,", [1, 0, 0]],
    ["who sells", "Salesperson Email,Customer Email Address\nr@o.test,a@b.test\ns@o.test,\nt@o.test,", [1, 0, 0]],
    ["who works on it", "Bearbeiter,Kontakt\nr@o.test,a@b.test\ns@o.test,\nt@o.test,", [1, 0, 0]],
    ["Cyrillic", "Отправитель,Эл. почта\nr@o.test,a@b.test\ns@o.test,\nt@o.test,", [1, 0, 0]],
    ["Japanese", "担当者,メールアドレス\nr@o.test,a@b.test\ns@o.test,\nt@o.test,", [1, 0, 0]],
    ["Korean", "담당자,이메일\nr@o.test,a@b.test\ns@o.test,\nt@o.test,", [1, 0, 0]],
    ["Chinese without addresses yet", "姓名,邮箱\n张伟,", [1, 0]],
    ["a shop's payers", "From Email,To Email\na@b.test,s@o.test\nc@b.test,s@o.test\nd@b.test,s@o.test", [0, 0, 1]],
    ["a postal address beside a mail column", "Address,Contact e-mail\nMain St 1,\nHigh St 2,", [1, 0]],
    ["a consent beside a mail column", "Do not email,Mailadresse geschäftlich\nno,\nyes,", [1, 0]],
    ["an example in the name", "Name,Email (e.g. ann@example.com)\nAnn,a@b.test", [1, 0]],
    ["a kind called email in a table without names", "Ann,email,a@b.test\nBob,email,\nCid,email,c@b.test", [2, null]],
  ])("%s", (_, table, expected) => {
    expect(found(table)).toEqual(expected)
  })

  test.each<[wanted: string, table: string, expected: Expected]>([
    ["to", "from,to\nn@o.test,a@b.test", [1, 0, 0]],
    ["FROM", "from,to\nn@o.test,a@b.test", [0, 0, 1]],
    ["2", "x,y\n1,2", [1, 0]],
    ["1", "x\ny", [0, null]],
    ["2", "x,y\n1,a@b.test", [1, 0]],
    ["Contact", "Notes,,\n,,\nName,Contact,x\nA,,", [1, 2]],
    ["3", "x,y\n1,2", null],
    ["nope", "x,y\n1,2", null],
  ])("wanted is %j of %j", (wanted, table, expected) => {
    expect(found(table, wanted)).toEqual(expected)
  })

  test("are equal when neither number nor name decides", () => {
    expect(findColumns(rows("a,b\nx@o.test,a@b.test"), null)).toMatchObject({ isTie: true })
    expect(findColumns(rows("id,to,from\n1,a@@b.test,n@o.test\n2,b@b.test,n@o.test"), null)).toMatchObject({
      ...{ column: 1, isTie: false },
    })
  })

  test("are the same below any titles and beside any other columns", () => {
    const word = fc.stringMatching(/^[a-z]{1,9}$/)
    const address = word.map((local) => `${local}@mailbox.test`)
    const title = fc.constantFrom([""], ["Report"], ["Report of May", "", ""], ["Page", "1"])
    fc.assert(
      fc.property(
        fc.array(title, { maxLength: 4 }),
        fc.constantFrom("Email", "E-Mail", "email_address", "Courriel", "work email"),
        fc.uniqueArray(address, { minLength: 2, maxLength: 9 }),
        fc.constantFrom("Owner", "Sender", "Account manager", "created by"),
        fc.boolean(),
        (titles, name, emails, other, isFirst) => {
          const order = (mine: string, theirs: string) => (isFirst ? [mine, theirs, "x"] : [theirs, mine, "x"])
          const table = [...titles, order(name, other), ...emails.map((email) => order(email, "rep@office.test"))]
          const columns = findColumns(table, null)
          expect(columns).toMatchObject({ column: isFirst ? 0 : 1, header: titles.length, isTie: false })
        },
      ),
    )
  })
})
