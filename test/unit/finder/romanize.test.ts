import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { spellingsOf } from "../../../src/domain/finder/name-variants.ts"
import { readName, readProfileSlug } from "../../../src/domain/finder/person-name.ts"
import { romanize } from "../../../src/domain/finder/romanize.ts"

describe("words have their usual spellings", () => {
  test.each([
    ["Łukasz", "first", ["lukasz"]],
    ["Đức", "first", ["duc", "djuc"]],
    ["Þórdís", "first", ["thordis"]],
    ["Müller", "last", ["muller", "mueller"]],
    ["Strauß", "last", ["strauss"]],
    ["Œuvrard", "last", ["oeuvrard"]],
    ["Işık", "last", ["isik"]],
    ["O’Brien", "last", ["obrien"]],
    ["Щербаков", "last", ["shcherbakov", "scherbakov", "sherbakov"]],
    ["Григорій", "first", ["hryhorii", "hryhoriy", "grygoriy"]],
    ["Володимир", "first", ["volodymyr", "vladimir", "volodimir"]],
    ["Зеленський", "last", ["zelenskyi", "zelensky", "zelenskiy"]],
    ["Грушевська", "last", ["hrushevska", "grushevska"]],
    ["Достоевский", "last", ["dostoevsky", "dostoevskii", "dostoevskiy"]],
    ["Παπαδόπουλος", "last", ["papadopoulos"]],
    ["Χρήστος", "first", ["christos", "hristos", "hrestos"]],
    ["박", "last", ["park", "bak"]],
    ["민준", "first", ["minjun", "minjoon"]],
    ["小明", "first", ["xiaoming", "xiao-ming"]],
    ["曾", "last", ["zeng", "tseng", "ceng"]],
    ["山田", "last", ["yamada"]],
    ["しょうた", "first", ["shota", "shouta"]],
    ["محمد", "first", ["mohamed", "mohammed", "muhammad", "mohammad"]],
    [
      "الزهراء",
      "last",
      [
        "alzahra",
        "alzahraa",
        "elzahra",
        "elzahraa",
        "al-zahra",
        "al-zahraa",
        "el-zahra",
        "el-zahraa",
        "zahra",
        "zahraa",
      ],
    ],
    ["כהן", "last", ["cohen"]],
    ["सिंह", "last", ["singh", "sinha", "sinh"]],
    ["ბერიძე", "last", ["beridze"]],
  ] as const)("%s", (word, kind, spellings) => {
    expect(romanize(word, kind)).toEqual(spellings)
  })
})

describe("names from form input", () => {
  test.each([
    ["Dr. Prof. Anna", "Schmidt PhD", ["Anna"], ["Schmidt"]],
    ["Robert (Bob)", "Downey, Jr.", ["Robert"], ["Downey"]],
    ['William "Bill"', "Gates III", ["William"], ["Gates"]],
    ["J. R. R.", "Tolkien", ["J", "R", "R"], ["Tolkien"]],
    ["Earl", "Dean", ["Earl"], ["Dean"]],
    ["Mike", "Smith B.Sc.", ["Mike"], ["Smith"]],
    ["Mike", "Smith M.Sc, LL.M.", ["Mike"], ["Smith"]],
    ["Mike", "Jones Q.C.", ["Mike"], ["Jones"]],
    ["Jan", "Novák, Ing.", ["Jan"], ["Novák"]],
    ["MUDr. Petr", "Svoboda, CSc.", ["Petr"], ["Svoboda"]],
    ["Dr. med. dent. Anna", "Kurz", ["Anna"], ["Kurz"]],
    ["Prof.Dr. Anna", "Kurz", ["Anna"], ["Kurz"]],
    ["Dott.ssa Anna", "Bianchi", ["Anna"], ["Bianchi"]],
    ["Mike", "Smith | CEO", ["Mike"], ["Smith"]],
    ["Mike", "Smith - Acme Inc", ["Mike"], ["Smith"]],
    ["Mike", "Smith, John", ["Mike"], ["Smith"]],
    ["J.Anna", "Smith-Jones", ["J", "Anna"], ["Smith-Jones"]],
    ["  Mary   Ann ", "O’Neil-Smith", ["Mary", "Ann"], ["ONeil-Smith"]],
  ])("%s %s", (first, last, given, family) => {
    const { name } = readName(first, last)
    expect(name?.given).toEqual(given)
    expect(name?.family.map((one) => one.name)).toEqual(family)
  })

  test("particles stay with their name", () => {
    expect(readName("Ludwig", "van der Rohe").name?.family).toEqual([{ particles: ["van", "der"], name: "Rohe" }])
    expect(readName("Maria", "da Silva dos Santos").name?.family).toEqual([
      { particles: ["da"], name: "Silva" },
      { particles: ["dos"], name: "Santos" },
    ])
  })

  test.each([
    ["", "Smith"],
    ["123", "Smith"],
    ["Alice", "..."],
  ])("%j %j is not a name", (first, last) => {
    expect(readName(first, last).name).toBeNull()
  })

  test("for any two texts, shares add up to one and every spelling is part of a local part", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (first, last) => {
        const { name } = readName(first, last)
        if (!name) return
        for (const { first, last } of spellingsOf(name, { spellsUmlautsOut: false }))
          for (const list of [first, last]) {
            for (const { text } of list) expect(text).toMatch(/^[a-z]+(?:[.-]+[a-z]+)*$/)
            const total = list.reduce((sum, { share }) => sum + share, 0)
            if (list.length > 0) expect(total).toBeCloseTo(1)
          }
      }),
    )
  })
})

describe("public profile URLs", () => {
  test.each([
    ["https://www.linkedin.com/in/alice-smith-4b2a91/", "Alice", "Smith", "4b2a91"],
    ["de.linkedin.com/in/j%C3%BCrgen-m%C3%BCller", "Jürgen", "Müller", null],
    ["alice-van-der-berg", "Alice", "Van Der Berg", null],
    ["dr-anna-schmidt-phd", "Anna", "Schmidt", null],
    ["johnsmith", "John", "Smith", null],
  ])("%s", (input, firstName, lastName, suffix) => {
    expect(readProfileSlug(input)).toMatchObject({ firstName, lastName, suffix })
  })

  test.each(["", "https://example.com/in/alice", "https://linkedin.com/company/x", "a b", "%E0%A4%A", "12345"])(
    "%j is none",
    (input) => {
      expect(readProfileSlug(input)).toBeNull()
    },
  )
})
