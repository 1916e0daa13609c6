/** Too much is waiting already; nothing was done. */
export class NoSlotFree extends Error {
  override readonly name = 'NoSlotFree'
}

/** A bound on how much of one kind of work goes on at once. */
export interface Slots {
  /** Does the work as soon as a slot is free, in the order of asking. Throws {@link NoSlotFree}. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/**
 * @param atOnce how much may go on at the same time
 * @param waiting how much may wait for its turn; more is refused
 */
export function createSlots(atOnce: number, waiting: number): Slots {
  let free = atOnce
  const queue: (() => void)[] = []

  const leave = () => {
    // A slot is handed to the next in line rather than freed: nobody overtakes.
    const next = queue.shift()
    if (next) next()
    else free += 1
  }

  return {
    async run(work) {
      if (free > 0) free -= 1
      else if (queue.length >= waiting) throw new NoSlotFree(`${waiting} are waiting already`)
      else await new Promise<void>((resolve) => queue.push(resolve))
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
