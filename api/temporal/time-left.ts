import type { Caller } from '../http/caller.ts'

/** Even a late request gives the workflow engine this long, in milliseconds. */
const MIN_ENGINE_TIME_MS = 50

/**
 * Milliseconds that are left for the workflow engine until a request is to be answered.
 *
 * @param answerDeadline how long after its arrival a request is answered, in milliseconds
 */
export const timeLeft = (
  { receivedAt }: Pick<Caller, 'receivedAt'>,
  { answerDeadline }: { answerDeadline: number },
): number => Math.max(receivedAt + answerDeadline - performance.now(), MIN_ENGINE_TIME_MS)
