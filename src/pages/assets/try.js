// Swagger UI, with the description of this service. Requests go where the page came from.
const dark = matchMedia("(prefers-color-scheme: dark)")
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches)
follow()
dark.addEventListener("change", follow)

const element = document.getElementById("swagger-ui")

// What it leaves out for those who hear the page or use the keyboard: names, scrolling.
function complete() {
  for (const input of element.querySelectorAll("[data-param-name] :is(input, select)")) {
    input.ariaLabel = input.closest("[data-param-name]").dataset.paramName
  }
  for (const text of element.querySelectorAll("pre")) text.tabIndex = 0
}
new MutationObserver(complete).observe(element, { childList: true, subtree: true })

try {
  const response = await fetch("/openapi.json")
  if (!response.ok) throw new Error(`It was answered with ${response.status}`)
  const spec = await response.json()
  SwaggerUIBundle({
    spec: { ...spec, servers: [{ url: "/api/v1" }] },
    domNode: element,
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    persistAuthorization: false,
    supportedSubmitMethods: ["get"],
    syntaxHighlight: { activated: false },
    tryItOutEnabled: true,
    validatorUrl: null,
  })
} catch (error) {
  element.textContent = `Cannot load the description. ${error.message}. Reload the page to try again.`
}
