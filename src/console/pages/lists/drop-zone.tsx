import { useEffect, useState } from "preact/hooks"

const TYPES = ".csv,.tsv,.txt,.xlsx"

/** A place to drop a file; a click or the keyboard chooses one. */
export function DropZone({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
  const [over, setOver] = useState(false)
  useEffect(() => {
    // A file that is dropped beside it would be opened instead of the page.
    const keepPage = (event: Event) => event.preventDefault()
    addEventListener("dragover", keepPage)
    addEventListener("drop", keepPage)
    return () => {
      removeEventListener("dragover", keepPage)
      removeEventListener("drop", keepPage)
    }
  }, [])
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0]
    if (file && !busy) onFile(file)
  }
  return (
    <label
      class={over ? "drop over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer?.files)
      }}
    >
      <input
        class="unseen"
        type="file"
        accept={TYPES}
        disabled={busy}
        onChange={(event) => {
          take(event.currentTarget.files)
          event.currentTarget.value = ""
        }}
      />
      <b>{busy ? "Uploading and reading the file" : "Drop a CSV, Excel or text file here"}</b>
      <span class="soft">
        {busy
          ? "Large files take a moment."
          : "or choose one, of up to 20 MB. The column with the addresses is found by itself."}
      </span>
    </label>
  )
}
