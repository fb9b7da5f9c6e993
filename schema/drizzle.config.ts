import { defineConfig } from "drizzle-kit"

export default defineConfig({
  dialect: "sqlite",
  casing: "snake_case",
  schema: "./schema/tables/*.ts",
  out: "./schema/migrations",
})
