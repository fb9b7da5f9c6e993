import { existsSync } from "node:fs"

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
/** The browser of this machine; scripts/ci-install.sh installs Debian's. */
export const CHROMIUM = [process.env.CHROMIUM_PATH ?? "", ...PATHS].find((path) => path !== "" && existsSync(path))
