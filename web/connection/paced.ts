/** Milliseconds between two readings of a list, however many news come. */
const READING_PAUSE_MS = 3_000

/** A reading that many ask for and that is done seldom. */
interface Paced {
  /** Reads at once, or as soon as the pause after the reading before is over. */
  ask(): void
  /** Nothing is read any more. */
  stop(): void
}

/**
 * One reading at a time: at once, and then not before it is done and a pause is over. What is asked for meanwhile is one
 * reading after it.
 *
 * @param read does not reject
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
