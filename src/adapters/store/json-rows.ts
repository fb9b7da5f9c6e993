import { type SQL, sql } from "drizzle-orm"

/** The values of a list as a query, for IN. */
export function valuesOf(list: readonly unknown[]): SQL {
  return sql`(SELECT value FROM json_each(${JSON.stringify(list)}))`
}

/** The given fields of each item as rows for `json_each`, where `value ->> 0` is the first field. */
export function jsonRows<T>(items: readonly T[], ...fields: readonly (keyof T)[]): string {
  return JSON.stringify(items.map((item) => fields.map((field) => item[field])))
}

/** Splits a list into JSON texts of at most `size` entries each. */
export function slicesOf(list: readonly unknown[], size: number): string[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, n) =>
    JSON.stringify(list.slice(n * size, (n + 1) * size)),
  )
}
