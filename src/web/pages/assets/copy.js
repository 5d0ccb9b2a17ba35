// Copy buttons: each copies the text of the element that it names.

document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("button[data-copy]")
  if (!button || button.dataset.label) return
  const source = document.getElementById(button.dataset.copy)
  button.dataset.label = button.textContent
  try {
    await navigator.clipboard.writeText(source?.textContent ?? "")
    button.textContent = "Copied"
  } catch {
    // Without the permission, or on plain HTTP: the text is selected, so that it can be copied by hand.
    const range = document.createRange()
    range.selectNodeContents(source)
    getSelection().removeAllRanges()
    getSelection().addRange(range)
    button.textContent = "Selected: press Ctrl+C"
  }
  setTimeout(() => {
    button.textContent = button.dataset.label
    delete button.dataset.label
  }, 2500)
})
