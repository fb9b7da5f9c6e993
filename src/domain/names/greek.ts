import { readSpellings, replacer } from "./spell-table.ts"

const CUSTOMARY = readSpellings(`
γιωργοσ γεωργιοσ: giorgos george georgios
γιαννησ ιωαννησ: giannis yannis ioannis
αικατερινη κατερινα: katerina aikaterini ekaterini
αθανασιοσ: athanasios thanasis
`)

const LETTERS = `α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s τ t υ y φ f χ ch ψ ps ω o
  ου ou γγ ng γχ nch γξ nx`
const usual = replacer(LETTERS) // ELOT 743, with αυ, ευ and the initial digraphs below
const simple = replacer(`${LETTERS} χ h υ i γκ g ει i`)
const old = replacer(`${LETTERS} φ ph χ h η e`)

/** Romanizes a word in Greek, the most likely spelling first. */
export function romanizeGreek(word: string): string[] {
  const plain = word
    .toLowerCase()
    .normalize("NFD")
    .replace(/\u0308/g, "\u00a8")
    .replace(/[\p{M}¨]/gu, "")
    .replace(/ς/g, "σ")
  const prepared = plain
    .replace(/^μπ/, "b")
    .replace(/^ντ/, "d")
    .replace(/^γκ/, "g")
    .replace(/([αεη])υ(?=[θκξπσφχψ]|$)/g, "$1f")
    .replace(/([αεη])υ/g, "$1v")
  return [...(CUSTOMARY.get(plain) ?? []), ...[usual, simple, old].map((spell) => spell(prepared))]
}
