/** What the browser tests compute within a page. Evaluated there as a script. */
globalThis.inPage = {
  /** The elements that make the page wider than the window, only the innermost. */
  overflowing() {
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const isPage = (element) => [document.body, document.documentElement].includes(element)
    const isWide = (element) => {
      const { left, width } = element.getBoundingClientRect()
      return left + Math.max(width, element.scrollWidth) > clientWidth + 0.5
    }
    const wide = [...document.body.querySelectorAll("*")].filter((element) => {
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        if (!isPage(parent) && getComputedStyle(parent).overflowX !== "visible") return false
      }
      return isWide(element)
    })
    const innermost = wide.filter((element) => ![...element.children].some(isWide))
    return [`${scrollWidth} px wide in a window of ${clientWidth}`, ...innermost.map(nameOf)]
  },

  /** What the Tab key must reach, in order. */
  tabStops() {
    const groups = new Set()
    return [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
      .filter((element) => {
        if (element.disabled || element.type === "hidden" || element.tabIndex < 0) return false
        if (!element.checkVisibility({ visibilityProperty: true })) return false
        // Of a group of radio buttons Tab reaches one.
        return element.type !== "radio" || isStopOf(groups, element)
      })
      .map(nameOf)
  },

  /** Visible controls that do nothing unless a script runs: no form sends them. */
  deadControls() {
    return [...document.querySelectorAll("button, input, select, textarea")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter(({ form, type, localName }) => {
        // Of those the style of a page can depend.
        if (type === "radio") return false
        if (!form || (localName === "button" && type === "button")) return true
        const submits = [...form.elements].some(({ type }) => ["submit", "image"].includes(type))
        return !submits && type !== "hidden"
      })
      .map(nameOf)
  },

  /** The element that has the focus, and why a person can't see that it has. */
  focus() {
    const element = document.activeElement
    if (!element || element === document.body) return {}
    return { name: nameOf(element), fault: focusFault(element) }
  },
}

function focusFault(element) {
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
  const isOutlined = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2
  const isMarked = outlineStyle === "auto" || isOutlined || boxShadow !== "none"
  if (!isMarked) return `no ring: ${nameOf(element)}`
  const { left, right, top, bottom } = element.getBoundingClientRect()
  const isInWindow = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight
  if (!isInWindow) return `out of the window: ${nameOf(element)}`
  const hit = document.elementFromPoint(
    (Math.max(left, 0) + Math.min(right, innerWidth)) / 2,
    (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2,
  )
  const isSeen =
    hit &&
    (element.contains(hit) || hit.contains(element) || hit.closest("label")?.control === element)
  return isSeen ? undefined : `behind ${nameOf(hit)}: ${nameOf(element)}`
}

/** Whether Tab reaches this radio button of its group. */
function isStopOf(groups, { form, name, checked }) {
  const siblings = [...document.getElementsByName(name)].filter((other) => other.form === form)
  if (siblings.some((other) => other.checked)) return checked
  const isFirst = !groups.has(name)
  groups.add(name)
  return isFirst
}

/** Tells elements of a page apart, and a reader which one is meant. */
function nameOf(element) {
  const tag = element.localName
  const name =
    element.id || element.getAttribute("name") || element.getAttribute("href") || element.className
  const text = (element.ariaLabel ?? element.textContent ?? "")
    .trim()
    .replace(/\s+/g, " ")
    .slice(0, 40)
  const position = [...document.querySelectorAll("*")].indexOf(element)
  return `<${tag} ${name}> ${text} (${position})`
}
