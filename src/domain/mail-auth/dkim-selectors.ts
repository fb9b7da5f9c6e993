/** Selectors that operators tell their customers to publish, the most common first. Source: their setup pages. */
export const COMMON_SELECTORS = [
  "google", // Google Workspace
  "selector1", // Microsoft 365
  "selector2",
  "default", // cPanel, OpenDKIM
  "k1", // Mailchimp, Mailgun
  "s1", // SendGrid
  "dkim",
  "mail",
  "mandrill",
  "mxvault",
  "fm1", // Fastmail
  "protonmail",
  "zoho",
  "smtp",
  "k2",
  "s2",
] as const

/** Selectors to query first for the domains of a mail operator (operators-table.ts). */
export const SELECTORS_OF: Readonly<Record<string, readonly string[]>> = {
  google: ["google"],
  microsoft365: ["selector1", "selector2"],
  fastmail: ["fm1", "fm2"],
  proton: ["protonmail"],
  zoho: ["zoho", "zmail"],
  yandex: ["mail"],
  "mail.ru": ["mailru"],
  icloud: ["sig1"],
  ionos: ["s1-ionos", "s2-ionos"],
  migadu: ["key1"],
  mailbox: ["mbo0001"],
  titan: ["titan1"],
  tuta: ["s1"],
  runbox: ["selector1-rbnet"],
  godaddy: ["default"],
  ovh: ["ovhmo-selector-1"],
  hostinger: ["hostingermail1"],
  gandi: ["gm1"],
  infomaniak: ["20230406"],
  rackspace: ["default"],
}
