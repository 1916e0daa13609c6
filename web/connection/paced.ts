/** Milliseconds between two readings of a list. */
const READING_PAUSE_MS = 3_000

interface Paced {
  ask(): void
  stop(): void
}

/**
 * Runs one reading at a time, with a pause after each; requests meanwhile share the next reading.
 *
 * @param read must not reject
 */
export function paced(read: () => Promise<unknown>, pauseMs = READING_PAUSE_MS): Paced {
  let isBusy = false
  let isWanted = false
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const begin = async (): Promise<void> => {
    isBusy = true
    isWanted = false
    await read()
    if (!isStopped) timer = setTimeout(next, pauseMs)
  }
  const next = (): void => {
    isBusy = false
    if (isWanted) void begin()
  }
  return {
    ask() {
      isWanted = true
      if (!isBusy && !isStopped) void begin()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
