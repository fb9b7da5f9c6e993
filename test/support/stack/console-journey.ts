import { expect } from "vitest"
import { expectAccessible, expectToFit, saveScreenshot, type Visitor } from "./browser.ts"

/** A person who only clicks: pages are opened by the navigation, which is a menu on a phone. */
export class Walker {
  readonly visitor: Visitor
  readonly #name: string
  #steps = 0

  constructor(visitor: Visitor, name: string) {
    this.visitor = visitor
    this.#name = name
  }

  get page() {
    return this.visitor.page
  }

  get dialog() {
    return this.page.getByRole("dialog")
  }

  /** Opens a page by its name in the navigation. Waits until it has loaded: a panel that grows moves the buttons below. */
  async open(title: string): Promise<void> {
    const menu = this.page.getByRole("button", { name: "Menu" })
    if (await menu.isVisible()) await menu.click()
    await this.page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: title, exact: true }).click()
    await this.page.getByRole("heading", { level: 1 }).waitFor()
    await this.#loaded()
  }

  async click(name: string): Promise<void> {
    await this.page.getByRole("main").getByRole("button", { name, exact: true }).first().click()
  }

  /** Clicks a button and confirms it in the dialog. */
  async confirm(name: string): Promise<void> {
    await this.click(name)
    await this.dialog.getByRole("button", { name, exact: true }).click()
    await this.dialog.waitFor({ state: "detached" })
  }

  async see(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor()
  }

  async #loaded(): Promise<void> {
    await this.page.locator(".skeleton").first().waitFor({ state: "detached" })
  }

  /** Checks the present page as a person with a screen reader or a narrow screen meets it, and saves a picture. */
  async check(step: string): Promise<void> {
    this.#steps++
    await this.#loaded()
    await expectAccessible(this.page)
    await expectToFit(this.page)
    await saveScreenshot(this.page, `${this.#name} ${String(this.#steps).padStart(2, "0")} ${step}`)
    expect(this.visitor.troubles).toEqual([])
  }
}
