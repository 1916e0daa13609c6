import { heartbeat } from '@temporalio/activity'

/** Milliseconds; a fraction of the shortest heartbeat timeout of any workflow. */
const BEAT_EVERY = 1_000

/** Tells Temporal that this process lives for as long as the work takes, which may be long. */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const beat = setInterval(heartbeat, BEAT_EVERY)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}
