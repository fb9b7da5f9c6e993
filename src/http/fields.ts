import { z } from "@hono/zod-openapi"
import { ADDRESS_REPAIRS } from "../domain/address/repair-address.ts"

/** An address as the caller wrote it. Any string is valid here, because the verification judges its syntax. */
export function email() {
  return z.string().openapi({
    example: "alice@mailbox.test",
    description:
      "The email address, at most 254 octets. White space, `mailto:` and a trailing dot around it are removed",
  })
}

/** What was removed around the address of this call. */
export function repaired() {
  return z.array(z.enum(ADDRESS_REPAIRS)).openapi({
    description: "What was removed around the given text, without changing the mailbox meant; empty when nothing",
    example: ["whitespace"],
  })
}

/** The address that was probably meant. */
export function suggestion() {
  return z.string().nullable().openapi({
    description: "The address that was probably meant, for a malformed address or one whose domain takes no mail",
    example: null,
  })
}

/** How many addresses of a list were repaired. */
export function repairedCount() {
  return z.int().min(0).openapi({ description: "Addresses read after a repair, such as the removal of white space" })
}

/** A share or a probability. */
export const share = z.number().min(0).max(1)

/** A share with four digits. */
export function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4
}

/** A boolean in a query: true or false, 1 or 0, yes or no. */
export function flag(byDefault: boolean, description: string) {
  return z
    .stringbool()
    .default(byDefault)
    .openapi({ type: "boolean", default: byDefault, description, example: byDefault })
}

interface Bounds {
  readonly min: number
  readonly max: number
  readonly description: string
}

/** A whole number in a query, written in plain digits. */
export function wholeNumber({ min, max, description }: Bounds) {
  return z
    .string()
    .regex(/^\d{1,16}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .openapi({ type: "integer", minimum: min, maximum: max, description })
}

/** The same with a default. */
export function wholeNumberOr(byDefault: number, bounds: Bounds) {
  return wholeNumber(bounds).default(byDefault).openapi({ default: byDefault })
}

/** An optional value in a body. Null counts as left out, because many clients send it for unset fields. */
export function orElse<T extends z.ZodType<string | number | boolean>>(schema: T, byDefault: z.output<T>) {
  return schema
    .nullish()
    .transform((value): z.output<T> => value ?? byDefault)
    .openapi({ default: byDefault })
}

/** A required JSON body. Rejects a lone surrogate, which JSON can express but UTF-8 and the store cannot. */
export function json<T extends z.ZodType>(schema: T) {
  const checked = schema.superRefine((value, context) => {
    for (const path of brokenTexts(value))
      context.addIssue({ code: "custom", path: [...path], message: "must not contain a lone surrogate" })
  })
  return { required: true, content: { "application/json": { schema: checked } } } as const
}

/** Fields that accept any text: addresses, which have their own syntax errors, and values passed on as JSON. */
const UNCHECKED_FIELDS = ["email", "emails", "text", "payload"]

function* brokenTexts(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<readonly (string | number)[]> {
  if (typeof value === "string" && !value.isWellFormed()) yield path
  if (typeof value !== "object" || value === null) return
  for (const [name, part] of Object.entries(value))
    if (!UNCHECKED_FIELDS.includes(name))
      yield* brokenTexts(part, [...path, Array.isArray(value) ? Number(name) : name])
}
