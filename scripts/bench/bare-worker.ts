import { Hono } from "hono"

/** A single route: the cost of workerd and Hono alone. */
const bare = new Hono()
bare.get("/bare/json", (c) => c.json({ ok: true }))

export default bare
