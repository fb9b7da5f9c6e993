// The stylesheet knows dark colours by a class. What was chosen in the console holds here, too.
const dark = matchMedia("(prefers-color-scheme: dark)")
function paint() {
  const chosen = localStorage.getItem("mailverdict.theme") ?? "auto"
  document.documentElement.classList.toggle("dark-mode", chosen === "auto" ? dark.matches : chosen === "dark")
}
dark.addEventListener("change", paint)
paint()
