import { describe, expect, test } from "vitest"
import { realismOf } from "../../../src/domain/finder/realism.ts"
import { PEOPLE } from "./people.ts"

/** Names that no list contains, so that only their letters count. */
const UNLISTED =
  `Featherstonehaugh Zuckerberg Thunberg Schwarzenegger Oluwaseun Björklund Adichie Vandenberghe Szczepanska
  Hrubiec Abdirahman Papageorgiou Прокопенко Μητσοτάκης Бондарчук Kowalczykiewicz`.split(/\s+/)

describe("names of many cultures are plausible", () => {
  test("nearly all words of sixty people and of unlisted names", () => {
    const words = [...PEOPLE.flatMap(([first, last]) => `${first} ${last}`.split(/[\s-]+/)), ...UNLISTED]
    const doubted = words.filter((word) => word.replace(".", "").length > 2 && realismOf(word).score < 0.4)
    expect(doubted.length / words.length).toBeLessThan(0.04)
  })
})

test.each(["J.", "Q", "A.J.", "Щ."])("%s is an initial with a neutral score", (word) => {
  expect(realismOf(word)).toMatchObject({ score: 0.5, finding: "plausible" })
})

describe("other words are not names", () => {
  test.each([
    ["xkcdqz", "implausible_letters"],
    ["bcdfgh", "keyboard_run"],
    ["wqrtpl", "implausible_letters"],
    ["фбвгдж", "implausible_letters"],
    ["asdfgh", "keyboard_run"],
    ["poiuy", "keyboard_run"],
    ["ывапро", "keyboard_run"],
    ["aaaa", "repeated_letters"],
    ["test", "placeholder"],
    ["j0hn", "digits"],
    ["Jоhn", "mixed_scripts"], // a Cyrillic о
    ["--", "no_letters"],
  ])("%s: %s", (word, finding) => {
    expect(realismOf(word)).toMatchObject({ finding })
    expect(realismOf(word).score).toBeLessThan(0.35)
  })

  test("four adjacent keys may be a name", () => {
    expect(realismOf("Trewin").finding).not.toBe("keyboard_run")
  })

  test("at most one in ten random words is plausible", () => {
    let seed = 7
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    const letters = (length: number) =>
      Array.from({ length }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join("")
    const taken = Array.from({ length: 1_000 }, () => letters(5 + Math.floor(random() * 5))).filter(
      (word) => realismOf(word).score >= 0.5,
    )
    expect(taken.length).toBeLessThan(100)
  })
})
