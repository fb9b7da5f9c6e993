import { useRef } from "preact/hooks"

interface FileButtonProps {
  readonly label: string
  readonly accept: string
  readonly busy: boolean
  readonly onFile: (file: File) => void
}

/** A button that opens the file chooser. */
export function FileButton({ label, accept, busy, onFile }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class="button" aria-disabled={busy} onClick={() => busy || input.current?.click()}>
        {busy ? "Reading" : label}
      </button>
      <input
        ref={input}
        hidden
        type="file"
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          if (file) onFile(file)
          event.currentTarget.value = ""
        }}
      />
    </>
  )
}
