export class NoSlotFree extends Error {
  override readonly name = 'NoSlotFree'
}

export interface Slots {
  /** In the order of calls. Throws {@link NoSlotFree} when too many wait. */
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createSlots(atOnce: number, waiting: number): Slots {
  let free = atOnce
  const queue: (() => void)[] = []

  const leave = () => {
    // Handed to the next in line rather than freed: nobody overtakes.
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
