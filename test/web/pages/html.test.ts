/** A template escapes every value, and rejects an address that would run code. */
import { expect, test } from "bun:test"
import { attributes, html } from "../../../src/web/pages/kit/html.ts"

const script = `<script>alert("x")</script>'&`
const escaped = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#x27;&amp;"

test("Values are escaped in text and in attributes", () => {
  expect(html`<p title="${script}">${script}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`)
})

test("A NUL, which HTML excludes, is a replacement character", () => {
  expect(html`<p title="${"a\0b"}">${"\0"}</p>`.text).toBe('<p title="a\uFFFDb">\uFFFD</p>')
})

test("Markup of a template passes into another, text does not", () => {
  const inner = html`<b>${"a<b"}</b>`
  expect(html`<p>${inner}${[inner, "<i>", null]}${false}</p>`.text).toBe(
    "<p><b>a&lt;b</b><b>a&lt;b</b>&lt;i&gt;</p>",
  )
})

test("Attributes are escaped, and left out where they are false, null or undefined", () => {
  const given = { value: script, checked: true, disabled: false, placeholder: null, max: 5 }
  expect(html`<input ${attributes(given)}>`.text).toBe(`<input value="${escaped}" checked max="5">`)
})

test.each(["javascript:alert(1)", " javascript:alert(1)", "data:text/html,x", "JaVaScRiPt:x"])(
  "A template rejects the address %s",
  (address) => {
    expect(() => html`<a href="${address}">x</a>`).toThrow()
    expect(() => html`<a ${attributes({ href: address })}>x</a>`).toThrow()
  },
)

test.each(["/explore?a=b&c=d", "https://example.com/", "#main", "?page=2", "mailto:a@example.com"])(
  "A template accepts the address %s",
  (address) => {
    const expected = `<a href="${address.replace("&", "&amp;")}">x</a>`
    expect(html`<a href="${address}">x</a>`.text).toBe(expected)
  },
)
