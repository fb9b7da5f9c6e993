import { z } from "@hono/zod-openapi"
import ipaddr from "ipaddr.js"
import { parseAddress, parseDomain, type ValidAddress } from "../domain/address/parse.ts"
import { ADDRESS_REPAIRS } from "../domain/address/repair-address.ts"
import { explainProblem } from "../domain/address/typo-suggestion.ts"
import { MX_KINDS } from "../domain/verification/evidence.ts"
import { AppError } from "../errors.ts"

/** A shape with a name of its own in the published document. */
export function component<Shape extends z.ZodRawShape>(name: string, shape: Shape): z.ZodObject<Shape>
export function component<Shape extends z.ZodRawShape>(name: string, about: string, shape: Shape): z.ZodObject<Shape>
export function component(name: string, ...rest: [z.ZodRawShape] | [string, z.ZodRawShape]): z.ZodObject {
  const [about, shape] = rest.length === 1 ? [undefined, rest[0]] : rest
  return z.object(shape).openapi(name, about === undefined ? {} : { description: about })
}

/** A list of objects. */
export function arrayOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.array(z.object(shape))
}

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

const CURSOR = { description: "next_cursor of the previous page" } as const

/** The optional cursor of a list in a query, as text of this form. */
export function textCursor(form: RegExp) {
  return z.string().regex(form).optional().openapi(CURSOR)
}

/** The optional cursor of a list in a query, as the number of a row. */
export function numberCursor() {
  return wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER, ...CURSOR })
    .openapi({ format: "int64" })
    .optional()
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

/** Fields of an answer about a domain, with one meaning in every endpoint. */
export const mxValid = z.boolean().openapi({
  description:
    "The domain has a mail host with an address: by MX records, or its own address when it has none (RFC 5321)",
})

export const tldExists = z
  .boolean()
  .nullable()
  .openapi({
    description:
      "The top-level domain is in the DNS root, by a list of the service. Null for a malformed address, and for a " +
      "reserved name such as test. It does not decide the status: DNS does",
  })

export const mxKind = z
  .enum(MX_KINDS)
  .nullable()
  .openapi({
    description:
      "`implicit_mx`: no MX record, mail goes to the domain's own address. `null_mx`: the domain declares that it " +
      "accepts no mail. `none`: no mail host. Null when DNS gave no answer",
  })

/** Parses an address that must be well-formed. @throws AppError bad_request with the reason and a suggestion */
export function wellFormed(email: string, field = "email"): ValidAddress {
  const address = parseAddress(email)
  if (address.ok) return address
  throw new AppError("bad_request", `${field}: ${explainProblem(address)}`)
}

/**
 * Parses a domain or host where a call changes or returns all of its data. Refuses an address or a URL: a caller that
 * erases one address by mistake here would erase the whole domain. @throws AppError bad_request naming the field
 */
export function wellFormedDomain(text: string, field = "domain"): string {
  const parsed = parseDomain(text.trim())
  if (!parsed.ok) throw new AppError("bad_request", `${field}: ${parsed.message}`)
  return parsed.domain
}

/** Parses a host: an IPv4 address, or a domain name. @throws AppError bad_request naming the field */
export function wellFormedHost(text: string, field: string): string {
  const host = text.trim()
  if (ipaddr.IPv6.isValid(host))
    throw new AppError("bad_request", `${field}: blocklists are asked about IPv4 addresses only`)
  return ipaddr.IPv4.isValidFourPartDecimal(host) ? host : wellFormedDomain(host, field)
}

/** Rounds to a number of decimal places; null stays null. */
export function round(value: number, digits?: number): number
export function round(value: number | null, digits?: number): number | null
export function round(value: number | null, digits = 3): number | null {
  return value === null ? null : Math.round(value * 10 ** digits) / 10 ** digits
}
