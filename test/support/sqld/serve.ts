import { startSqld } from "./sqld.ts"

/** Runs sqld until SIGTERM, for benches, and prints its address as JSON. DATA_DIR is its folder, SQLD_ARGS its options. */
const args = (process.env.SQLD_ARGS ?? "").split(" ").filter(Boolean)
const { url, authToken, stop } = await startSqld({ folder: process.env.DATA_DIR!, args })
process.once("SIGTERM", async () => {
  await stop()
  process.exit(0)
})
console.log(JSON.stringify({ url, authToken }))
