import { setTimeout as sleep } from 'node:timers/promises'

/** How long to look, and how often; milliseconds. */
export interface Patience {
  within?: number
  every?: number
}

/** Looks again and again until the look does not throw, and returns what it found; throws what the last look threw. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  { within = 10_000, every = 50 }: Patience = {},
): Promise<T> {
  const deadline = performance.now() + within
  for (;;) {
    try {
      return await look()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await sleep(every)
  }
}
