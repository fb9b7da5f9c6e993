import { useId, useState } from "preact/hooks"

/** A word with an explanation. It opens by pointer, by focus and by touch. Escape closes it. */
export function Tip({ word, children }: { word: string; children: string }) {
  const id = useId()
  const [open, setOpen] = useState(false)
  return (
    <span class="tip" onPointerEnter={() => setOpen(true)} onPointerLeave={() => setOpen(false)}>
      <button
        type="button"
        class="tip-word"
        aria-describedby={id}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onClick={() => setOpen(true)}
        onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
      >
        {word}
      </button>
      <span role="tooltip" id={id} class={open ? "tip-text" : "unseen"}>
        {children}
      </span>
    </span>
  )
}
