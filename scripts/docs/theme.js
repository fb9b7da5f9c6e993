// The stylesheet knows dark colours by a class. What was chosen in the console holds here, too.
const dark = matchMedia("(prefers-color-scheme: dark)")
function paint() {
  let chosen = "auto"
  try {
    chosen = localStorage.getItem("mailverdict.theme") ?? chosen
  } catch {
    // The browser is told to keep nothing.
  }
  document.documentElement.classList.toggle("dark-mode", chosen === "auto" ? dark.matches : chosen === "dark")
}
dark.addEventListener("change", paint)
paint()
