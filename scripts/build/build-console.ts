import { fileURLToPath } from "node:url"
import { build } from "vite"

/** URL path of the console. */
const CONSOLE_PATH = "/console/"

/** Builds src/console for browsers into one folder. File names contain a hash of their content. */
export async function buildConsole(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: fileURLToPath(new URL("../../src/console", import.meta.url)),
    base: CONSOLE_PATH,
    logLevel: "warn",
    // Always for production: by default NODE_ENV decides.
    oxc: { jsx: { development: false } },
    build: {
      outDir,
      emptyOutDir: true,
      target: ["chrome123", "firefox120", "safari17.5"],
      // Small files stay separate files, which keeps the content security policy simple.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  })
}
