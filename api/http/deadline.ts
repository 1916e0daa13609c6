export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
}

/** Throws {@link DeadlinePassed}; the work goes on. Timers of a late loop fire before arrived answers. */
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
