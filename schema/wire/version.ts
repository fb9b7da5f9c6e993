import manifest from "../../package.json" with { type: "json" }

/** The version of this software, the same in service, node and command line. The interface has a version of its own. */
export const RELEASE: string = manifest.version
