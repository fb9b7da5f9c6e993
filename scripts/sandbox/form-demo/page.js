const field = document.querySelector("#email")
const result = document.querySelector("#result")
const submitted = document.querySelector("#submitted")

for (const button of document.querySelectorAll("[data-email]"))
  button.addEventListener("click", () => {
    field.focus()
    field.value = button.dataset.email
    field.dispatchEvent(new Event("input", { bubbles: true }))
    // As when a visitor leaves the field.
    field.dispatchEvent(new Event("change", { bubbles: true }))
  })

field.addEventListener("mailverdict:result", ({ detail }) => {
  result.textContent = JSON.stringify(detail, null, 2)
})
field.addEventListener("input", () => {
  submitted.textContent = ""
})
document.querySelector("#sign-up").addEventListener("submit", (event) => {
  event.preventDefault()
  submitted.textContent = "The form was submitted. A real page now checks the address again on its server."
})
