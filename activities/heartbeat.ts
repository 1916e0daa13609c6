import { heartbeat } from '@temporalio/activity'

/** Milliseconds; a fraction of the shortest heartbeat timeout of any workflow. */
const ACTIVITY_BEAT_MS = 1_000

export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const beat = setInterval(heartbeat, ACTIVITY_BEAT_MS)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}
