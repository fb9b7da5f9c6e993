import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Postfix, startPostfix } from "../support/mail/mta-postfix.ts"
import { startPostgrey } from "../support/mail/mta-postgrey.ts"
import { examine, type ProbeReport } from "../support/mail/mta-probe.ts"
import { hasMailServers, type Listener, type RunningServer, testInstalled } from "../support/mail/mta-root.ts"
import { sendWithoutWaiting } from "../support/mail/raw-smtp-client.ts"
import { selfSigned } from "../support/providers/self-signed.ts"
import { letTimePass } from "../support/time/waiting.ts"

const PEOPLE = ["alice", "bob", "carol", "dave", "erin"].map((name) => `${name}@list.test`)
const GREYLIST_SECONDS = 2
const GREET_SECONDS = 2

const EAGER = ["EHLO probe.test", "MAIL FROM:<me@probe.test>", "RCPT TO:<alice@list.test>", "QUIT"]

const MAIN = {
  virtual_mailbox_domains: "list.test",
  virtual_mailbox_maps: `inline:{ ${PEOPLE.map((address) => `${address}=x`).join(", ")} }`,
}
const SCREEN = {
  postscreen_greet_wait: `${GREET_SECONDS}s`,
  postscreen_greet_action: "enforce",
  postscreen_access_list: "",
}

const servicesWith = (policy: Listener) => ({
  screened: { screen: SCREEN },
  deep: { screen: { ...SCREEN, postscreen_pipelining_enable: "yes", postscreen_non_smtp_command_enable: "yes" } },
  refused: { screen: { ...SCREEN, postscreen_access_list: "static:reject", postscreen_denylist_action: "enforce" } },
  dropped: { screen: { ...SCREEN, postscreen_access_list: "static:reject", postscreen_denylist_action: "drop" } },
  greylisted: {
    settings: { smtpd_recipient_restrictions: `check_policy_service inet:${policy.address}:${policy.port}` },
  },
  secure: {
    settings: {
      smtpd_tls_security_level: "encrypt",
      smtpd_tls_cert_file: "$home/cert.pem",
      smtpd_tls_key_file: "$home/key.pem",
    },
  },
  few: { settings: { smtpd_recipient_limit: "2" } },
  strict: { settings: { smtpd_hard_error_limit: "2" } },
  slow: { settings: { smtpd_client_connection_rate_limit: "1" } },
  counted: { settings: { smtpd_client_recipient_rate_limit: "2" } },
})

type Service = keyof ReturnType<typeof servicesWith>
let postgrey: RunningServer & { at: Listener }
let postfix: Postfix<Service>

testInstalled("Postfix with postscreen and Postgrey")
if (hasMailServers)
  describe("Postfix", () => {
    beforeAll(async () => {
      const { cert, key } = selfSigned("mx.test")
      postgrey = await startPostgrey(GREYLIST_SECONDS)
      postfix = await startPostfix({
        main: MAIN,
        services: servicesWith(postgrey.at),
        files: { "cert.pem": cert, "key.pem": key },
      })
    })
    afterAll(async () => {
      await postfix?.stop()
      await postgrey?.stop()
    })

    const alice = async (service: Service, more: Partial<ProbeReport> = {}) =>
      (await examine({ at: postfix.at[service], to: ["alice@list.test"], ...more }))[0]!

    test.concurrent("postscreen delays the rest of its greeting, and the node waits for its end", async () => {
      const { summary, line } = await alice("screened")
      expect(summary).toBe("rcpt 250 / rcpt 550: valid")
      expect(line.totalMs).toBeGreaterThan(GREET_SECONDS * 1_000)
      expect(line.session?.greeting?.text.split("\n")).toHaveLength(2)
    })

    test.concurrent("the same postscreen refuses a client that speaks first", async () => {
      expect(await sendWithoutWaiting(postfix.at.screened, EAGER, { from: "127.0.8.1" })).toMatch(
        /^550 5\.5\.1 Protocol error/m,
      )
    })

    test.concurrent("postscreen with deep tests refuses the first session and accepts the second", async () => {
      const first = await alice("deep")
      expect(first.replyText).toMatch(/4\.3\.2 Service currently unavailable/)
      expect(first.summary).toBe("rcpt 450 / rcpt 450: unknown temporary_failure")
      expect((await alice("deep")).summary).toBe("rcpt 250 / rcpt 550: valid")
    })

    test.concurrent.each(["refused", "dropped"] as const)(
      "a client that postscreen has %s learns nothing",
      async (service) => {
        const { replyText, verdict } = await alice(service)
        expect(replyText).toMatch(/5\.3\.2 Service currently unavailable/)
        expect(verdict.status).toBe("unknown")
      },
    )

    test.concurrent("Postgrey stores the triplet of client, sender and recipient", async () => {
      const from = (ip: string) => alice("greylisted", { engine: { sourceIps: [ip] } })
      const first = await from("127.0.1.1")
      expect(first.replyText).toMatch(/Greylisted, see http/)
      expect(first.summary).toBe("rcpt 450 / rcpt 450: unknown greylisted")
      await letTimePass((GREYLIST_SECONDS + 1) * 1_000, "Postgrey's delay")
      expect((await from("127.0.2.1")).summary).toBe("rcpt 450 / rcpt 450: unknown greylisted")
      expect((await from("127.0.1.1")).summary).toBe("rcpt 250 / rcpt 550: valid")
    })

    test("uses mandatory TLS with any certificate", async () => {
      const { summary, line } = await alice("secure")
      expect(summary).toBe("rcpt 250 / rcpt 550: valid")
      expect(line.session?.tls).toEqual({
        protocol: "TLSv1.3",
        authorized: false,
        problem: "DEPTH_ZERO_SELF_SIGNED_CERT",
      })
    })

    test("without TLS the same host refuses us, not the mailbox", async () => {
      const { replyText, summary } = await alice("secure", { playbook: { starttls: false } })
      expect(replyText).toMatch(/Must issue a STARTTLS command first/)
      expect(summary).toBe("mail 530 / mail 530: unknown refused_probe")
    })

    test("probes recipients beyond the transaction limit in further sessions", async () => {
      const findings = await examine({ at: postfix.at.few, to: [...PEOPLE, "zed@list.test"] })
      expect(findings.map(({ summary }) => summary)).toEqual([
        ...PEOPLE.map(() => "rcpt 250 / rcpt 550: valid"),
        "rcpt 550 / rcpt 550: invalid mailbox_missing",
      ])
    })

    test("probes the others in a new session after a host hangs up at two unknown users", async () => {
      const findings = await examine({
        at: postfix.at.strict,
        to: ["zed@list.test", "zoe@list.test", "alice@list.test"],
      })
      expect(findings.map(({ summary }) => summary)).toEqual([
        "rcpt 550 / rcpt 550: invalid mailbox_missing",
        "rcpt 550 / rcpt 550: invalid mailbox_missing",
        "rcpt 250 / rcpt 550: valid",
      ])
    })

    test("too many recipients from our IP give unknown, not invalid", async () => {
      const [first, second] = await examine({ at: postfix.at.counted, to: ["bob@list.test", "zed@list.test"] })
      expect(first!.summary).toBe("rcpt 250 / rcpt 550: valid")
      expect(second!.replyText).toMatch(/too many recipients from/)
      expect(second!.summary).toBe("rcpt 450 / rcpt 550: unknown refused_probe")
    })

    // The readiness check was already one connection.
    test("too many connections from our IP are a refusal of us", async () => {
      const { replyText, summary } = await alice("slow")
      expect(replyText).toMatch(/too many connections from/)
      expect(summary).toBe("banner 421 / banner 421: unknown refused_probe")
    })
  })
