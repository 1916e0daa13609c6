export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

export interface Semaphore {
  /** Runs in call order. Throws {@link QueueFull}. */
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createSemaphore(atOnce: number, waiting: number): Semaphore {
  let free = atOnce
  const queue: (() => void)[] = []

  const leave = () => {
    // The next caller inherits the slot, so that none overtakes.
    const next = queue.shift()
    if (next) next()
    else free += 1
  }

  return {
    async run(work) {
      if (free > 0) free -= 1
      else if (queue.length >= waiting) throw new QueueFull(`${waiting} are waiting already`)
      else await new Promise<void>((resolve) => queue.push(resolve))
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
