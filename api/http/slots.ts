/** Too much is waiting already, or waiting took too long; nothing was done. */
export class NoSlotFree extends Error {
  override readonly name = 'NoSlotFree'
}

/** A bound on how much of one kind of work goes on at once. */
export interface Slots {
  /**
   * Resolves as soon as a slot is free, in the order of asking, with the function that frees it again. Throws
   * {@link NoSlotFree}.
   */
  enter(): Promise<() => void>
  /** Does the work in a slot. Throws {@link NoSlotFree}. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/**
 * @param atOnce how much may go on at the same time
 * @param waiting how much may wait for its turn; more is refused
 * @param patience milliseconds after which whoever still waits is refused; without it they wait on
 */
export function createSlots(atOnce: number, waiting: number, patience?: number): Slots {
  let free = atOnce
  const queue: (() => void)[] = []

  const nextInSequence = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const giveUp = () => {
        queue.splice(queue.indexOf(enter), 1)
        reject(new NoSlotFree(`no slot was free within ${patience} ms`))
      }
      const timer = patience === undefined ? undefined : setTimeout(giveUp, patience)
      queue.push(enter)
    })

  const leave = () => {
    // A slot is handed to the next in line rather than freed: nobody overtakes.
    const next = queue.shift()
    if (next) next()
    else free += 1
  }

  const enter = async () => {
    if (free > 0) free -= 1
    else if (queue.length >= waiting) throw new NoSlotFree(`${waiting} are waiting already`)
    else await nextInSequence()
    return leave
  }

  return {
    enter,
    async run(work) {
      const leaveSlot = await enter()
      try {
        return await work()
      } finally {
        leaveSlot()
      }
    },
  }
}
