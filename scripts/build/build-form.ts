import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const ENTRY = fileURLToPath(new URL("../../src/form/main.ts", import.meta.url))

/** Builds the script of sign-up forms into one file for browsers. @param file its path, absolute */
export async function buildForm(file: string): Promise<void> {
  await build({
    entryPoints: [ENTRY],
    outfile: file,
    bundle: true,
    format: "iife",
    target: ["chrome123", "firefox124", "safari17.5"],
    minify: true,
    logLevel: "warning",
  })
}
