/**
 * The hint below a field. `:where()` has no specificity, so that any rule of the page overrides these. The text has the
 * color of the page, in light and dark. The button has more specificity: rules for the page's buttons must not make it
 * look like a submit.
 */
const CSS = `
:where(.mailverdict-hint) {
  --mailverdict-mark: var(--mailverdict-fix, #1a73e8);
  margin-block: 0.375em 0;
  padding-inline-start: 0.625em;
  border-inline-start: 0.1875em solid var(--mailverdict-mark);
  color: var(--mailverdict-text, inherit);
  font-size: var(--mailverdict-font-size, 0.875em);
  line-height: 1.4;
  text-align: start;
  overflow-wrap: anywhere;
  flex-basis: 100%;
  grid-column: 1 / -1;
}
:where(.mailverdict-hint:empty) { position: absolute; margin: 0; padding: 0; border: 0; }
:where(.mailverdict-hint[data-action="warn"]) { --mailverdict-mark: var(--mailverdict-warn, #b26a00); }
:where(.mailverdict-hint[data-action="block"]) { --mailverdict-mark: var(--mailverdict-block, #d93025); }
.mailverdict-hint button {
  all: unset;
  display: inline-block;
  min-block-size: 1.75em;
  font-weight: 600;
  text-decoration: underline;
  cursor: pointer;
}
.mailverdict-hint button:focus-visible { outline: 0.125em solid currentColor; outline-offset: 0.125em; }
`

let sheet: CSSStyleSheet | undefined

/** Adds the styles to the page or shadow root of an element. A constructed sheet needs no `style-src` in a CSP. */
export function addStyles(element: Element): void {
  const root = element.getRootNode()
  if (!(root instanceof Document || root instanceof ShadowRoot)) return
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(CSS)
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet)
}
