import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

/**
 * One row (id 1), which the first migration inserts: the secrets that this database needs, its last test write, and the
 * lease of the edge that `npm start` runs. Times are Unix milliseconds by the database's own clock.
 */
export const installation = sqliteTable("installation", {
  id: integer().primaryKey(),
  /** Keyed hash of a constant under KEY_PEPPER. Null until a service first starts with this database. */
  pepper: text(),
  /** Public key of EDGE_SIGNING_KEY: `<key id>:<base64url>`. */
  signingKey: text(),
  /** The last write of a health check. */
  heartbeatAt: integer().notNull().default(0),
  /** The state folder of the edge that holds the lease, the run of its process, and its host name. Null without a lease. */
  edgeId: text(),
  edgeRun: text(),
  edgeHost: text(),
  edgeUntil: integer().notNull().default(0),
})
