import fc from "fast-check"
import { cpuMs, growth } from "../stack/cpu.ts"

/** One mutation of a text: a part of it, or another text, repeated at one place. */
export interface Repetition {
  readonly text: string
  readonly at: number
  readonly unit: string
}

/** Characters of one of the two sizes that are compared; the other one has four times as many. */
const SMALL = 50_000
/** Less CPU time cannot be distinguished from noise, and is harmless at this size. */
const TOO_LITTLE_MS = 12
/** Linear work costs 4 times as much at four times its size, quadratic work 16 times. */
const MOST_GROWTH = 9

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

/** Whether reading a text costs much more than four times the CPU when the repetition is four times as long. */
export async function growsFasterThanText<T>(
  repetition: Repetition,
  { prepare, read }: { prepare: (text: string) => T; read: (prepared: T) => unknown },
): Promise<boolean> {
  const large = prepare(repeated(repetition, 4 * SMALL))
  if ((await cpuMs(() => read(large))) < TOO_LITTLE_MS) return false
  const small = prepare(repeated(repetition, SMALL))
  return (await growth((size) => read(size === SMALL ? small : large), SMALL)) > MOST_GROWTH
}
