import { useEffect, useState } from "preact/hooks"

const TYPES = ".csv,.tsv,.txt,.xlsx"

/** Keeps a file that is dropped beside the zone from being opened by the browser, which would leave the page. */
export function useSafeDrops(): void {
  useEffect(() => {
    const preventOpening = (event: Event) => event.preventDefault()
    addEventListener("dragover", preventOpening)
    addEventListener("drop", preventOpening)
    return () => {
      removeEventListener("dragover", preventOpening)
      removeEventListener("drop", preventOpening)
    }
  }, [])
}

/** Takes a dropped file. A click or the keyboard opens the file chooser. */
export function DropZone({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
  const [over, setOver] = useState(false)
  const choose = (files: FileList | null | undefined) => {
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
        choose(event.dataTransfer?.files)
      }}
    >
      <input
        class="unseen"
        type="file"
        accept={TYPES}
        disabled={busy}
        onChange={(event) => {
          choose(event.currentTarget.files)
          event.currentTarget.value = ""
        }}
      />
      {busy ? (
        <>
          <b>Reading the file</b>
          <span class="soft">Large files take a moment.</span>
        </>
      ) : (
        <>
          <b class="by-mouse">Drop a CSV, Excel or text file here, or click to choose one</b>
          <b class="by-touch">Choose a CSV, Excel or text file</b>
          <span class="soft">Up to 20 MB. You see its first rows and the cost before it is verified.</span>
        </>
      )}
    </label>
  )
}
