import fc from "fast-check"

/** One mutation of a text: a part of it, or another text, repeated at one place. */
export interface Repetition {
  readonly text: string
  readonly at: number
  readonly unit: string
}

/** Repetitions of a character, a tag, an attribute, a field or any other part of a text, at any place. */
export function repetitionsOf(texts: readonly string[], units: readonly string[]): fc.Arbitrary<Repetition> {
  return fc.constantFrom(...texts).chain((text) => {
    const part = fc
      .tuple(fc.nat(Math.max(0, text.length - 1)), fc.integer({ min: 1, max: 40 }))
      .map(([start, length]) => text.slice(start, start + length) || " ")
    const unit = fc.oneof(fc.constantFrom(...units), part)
    return fc.record({ text: fc.constant(text), at: fc.nat(text.length), unit })
  })
}

/** The text with this many repeated characters. */
export function repeated({ text, at, unit }: Repetition, size: number): string {
  return text.slice(0, at) + unit.repeat(Math.ceil(size / unit.length)) + text.slice(at)
}
