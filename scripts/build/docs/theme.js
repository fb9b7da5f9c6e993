// Sets the class by which the stylesheet shows dark colors. Follows the theme chosen in the console.
const dark = matchMedia("(prefers-color-scheme: dark)")
function paint() {
  let chosen = "auto"
  try {
    chosen = localStorage.getItem("mailverdict.theme") ?? chosen
  } catch {
    // The browser blocks storage.
  }
  document.documentElement.classList.toggle("dark-mode", chosen === "auto" ? dark.matches : chosen === "dark")
}
dark.addEventListener("change", paint)
paint()
