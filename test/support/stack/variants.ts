/** How each page of the console is looked at: options of a browser's profile. */
export const VARIANTS = {
  light: {},
  dark: { colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true },
} as const
