import { z } from "@hono/zod-openapi"

/** An address as the caller wrote it. Any string is taken: whether it is an address is the answer, not a precondition. */
export function email() {
  return z.string().openapi({ example: "alice@mailbox.test", description: "The address to look at, up to 254 octets" })
}

/** A part of all, or a probability. */
export const share = z.number().min(0).max(1)

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

/** The same, and what counts when it is left out. */
export function wholeNumberOr(byDefault: number, bounds: Bounds) {
  return wholeNumber(bounds).default(byDefault).openapi({ default: byDefault })
}

/** A value in a body that may be left out, or null, which many clients write for what is not set. */
export function orElse<T extends z.ZodType<string | number | boolean>>(schema: T, byDefault: z.output<T>) {
  return schema
    .nullish()
    .transform((value): z.output<T> => value ?? byDefault)
    .openapi({ default: byDefault })
}

/** A required JSON body. Its texts are text: JSON can say half of a surrogate pair, which UTF-8 and the store cannot. */
export function json<T extends z.ZodType>(schema: T) {
  const checked = schema.superRefine((value, context) => {
    for (const path of brokenTexts(value))
      context.addIssue({ code: "custom", path: [...path], message: "must not contain half of a surrogate pair" })
  })
  return { required: true, content: { "application/json": { schema: checked } } } as const
}

/** What is looked at whatever it is and answered with what is wrong with it, and what is handed on as JSON. */
const ANYTHING = ["email", "emails", "text", "payload"]

function* brokenTexts(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<readonly (string | number)[]> {
  if (typeof value === "string" && !value.isWellFormed()) yield path
  if (typeof value !== "object" || value === null) return
  for (const [name, part] of Object.entries(value))
    if (!ANYTHING.includes(name)) yield* brokenTexts(part, [...path, Array.isArray(value) ? Number(name) : name])
}
