import { describe, expect, test } from "vitest"
import { pageLinks, readRobots } from "../../../src/domain/finder/web-page.ts"
import { runToTheEnd } from "../../support/time/bounded-work.ts"

const allows = (text: string, path: string) => readRobots(text, "mailverdict").allows(path)

describe("robots.txt (RFC 9309)", () => {
  test.each([
    ["nothing in it", "", "/contact", true],
    ["all of the site", "User-agent: *\nDisallow: /", "/contact", false],
    ["robots.txt itself", "User-agent: *\nDisallow: /", "/robots.txt", true],
    ["an empty rule", "User-agent: *\nDisallow:", "/contact", true],
    ["a part", "User-agent: *\nDisallow: /team", "/team/jane", false],
    ["another part", "User-agent: *\nDisallow: /team", "/contact", true],
    ["the longest rule", "User-agent: *\nDisallow: /\nAllow: /contact", "/contact", true],
    ["equal length", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", true],
    ["our own group", "User-agent: *\nDisallow: /\n\nUser-agent: Mailverdict\nDisallow: /x", "/contact", true],
    ["our own group forbids", "User-agent: *\nAllow: /\n\nUser-agent: mailverdict\nDisallow: /", "/contact", false],
    ["agents that share a group", "User-agent: other\nUser-agent: mailverdict\nDisallow: /", "/contact", false],
    ["another crawler's group", "User-agent: other\nDisallow: /", "/contact", true],
    ["a star", "User-agent: *\nDisallow: /*.php", "/a/b.php?x", false],
    ["an end", "User-agent: *\nDisallow: /*.php$", "/a/b.phpx", true],
    ["an end that fits", "User-agent: *\nDisallow: /*.php$", "/a/b.php", false],
    ["comments and case", "user-AGENT: * # all\r\ndisallow: /a # why", "/ab", false],
  ])("%s", (_, text, path, allowed) => {
    expect(allows(text, path)).toBe(allowed)
  })

  test("many stars take linear time", () => {
    const rule = `User-agent: *\nDisallow: /${"a*".repeat(240)}b$`
    expect(runToTheEnd(() => allows(rule, `/${"a".repeat(1_000_000)}`))).toBe(true)
  })
})

test("links stay on the host, and the most relevant come first", () => {
  const html = `<a href="/about">A</a> <a href='contact?x=1#y'>C</a> <a href=https://elsewhere.test/contact>E</a>
    <a href="mailto:a@b.test">M</a> <a href="/calendar/2031">K</a> <a href="//company.test/team/">T</a> <a href="http://[">X</a>`
  expect(pageLinks(html, new URL("https://company.test/"))).toEqual(["/contact", "/team/", "/about"])
})
