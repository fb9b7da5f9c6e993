/** Filters of a download. `invalid` includes malformed addresses. */
export const DOWNLOAD_FILTERS = ["all", "valid", "invalid", "accept_all", "disposable"] as const
export type DownloadFilter = (typeof DOWNLOAD_FILTERS)[number]
