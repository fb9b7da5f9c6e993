/**
 * How the details of each page are looked at: options of a browser's profile. The journeys and test/browser/pages.test.ts
 * use the light scheme of a desktop.
 */
export const VARIANTS = {
  dark: { colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true },
} as const

/** [name, options]: both widths and both color schemes in two visits, for journeys. */
export const LOOKS = [
  ["desktop, light", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
  ["phone, dark", { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: "dark" }],
] as const
