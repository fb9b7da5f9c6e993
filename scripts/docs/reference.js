// A file of its own, because the page's content security policy allows no inline script.
window.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
  // Its numbers can be read, which those of the first choice cannot.
  syntaxHighlight: { theme: "tomorrow-night" },
})
