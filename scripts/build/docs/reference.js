// A separate file: the page's content security policy allows no inline script.
window.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
  // The default theme shows numbers with too little contrast.
  syntaxHighlight: { theme: "tomorrow-night" },
})
