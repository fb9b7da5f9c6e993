import type { MailRoute } from "../verdict/evidence.ts"

/** Mail operators by MX suffix. */
const OPERATORS: readonly (readonly [suffix: string, name: string])[] = [
  ["google.com", "google"],
  ["googlemail.com", "google"],
  ["olc.protection.outlook.com", "outlook"],
  ["mail.protection.outlook.com", "microsoft365"],
  ["mx.microsoft", "microsoft365"],
  ["yahoodns.net", "yahoo"],
  ["mail.icloud.com", "icloud"],
  ["mimecast.com", "mimecast"],
  ["pphosted.com", "proofpoint"],
  ["ppe-hosted.com", "proofpoint"],
  ["barracudanetworks.com", "barracuda"],
  ["zoho.com", "zoho"],
  ["zoho.eu", "zoho"],
  ["messagingengine.com", "fastmail"],
  ["gmx.net", "gmx"],
  ["web.de", "web.de"],
  ["mail.ru", "mail.ru"],
  ["yandex.net", "yandex"],
  ["yandex.ru", "yandex"],
  ["qq.com", "qq"],
  ["163.com", "netease"],
  ["netease.com", "netease"],
  ["protonmail.ch", "proton"],
  ["secureserver.net", "godaddy"],
  ["ovh.net", "ovh"],
  ["emailsrvr.com", "rackspace"],
  ["amazonaws.com", "amazon"],
]

/** The operator of an MX host; "other" for one we do not know, "none" for no host. */
export function operatorOf(mxHost: string | undefined): string {
  if (!mxHost) return "none"
  return OPERATORS.find(([suffix]) => mxHost === suffix || mxHost.endsWith(`.${suffix}`))?.[1] ?? "other"
}

/** Host names a domain's mail goes to, by preference; none when it takes no mail. */
export function mailHostsOf(route: MailRoute | undefined): string[] {
  return route?.kind === "mx" || route?.kind === "implicit_mx" ? route.hosts.map(({ host }) => host) : []
}
