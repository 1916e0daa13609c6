/** The awaited event did not come in time; it may still happen. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
}

/**
 * The promise's outcome, or {@link DeadlinePassed} after `milliseconds`. The work itself goes on: what it does
 * after the deadline must be harmless. A loop that is late has timers go off before it looks at what has arrived meanwhile: an answer
 * that is there by then counts as in time.
 */
export async function within<T>(milliseconds: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    const passed = () => reject(new DeadlinePassed(`${what} took longer than ${milliseconds} ms`))
    timer = setTimeout(() => setImmediate(passed), Math.max(milliseconds, 0))
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
