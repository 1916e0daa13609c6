import type { Caller } from '../http/caller.ts'

/** Milliseconds, even for a late request. */
const MIN_ENGINE_TIME_MS = 50

export const timeLeft = (
  { receivedAt }: Pick<Caller, 'receivedAt'>,
  { answerDeadline }: { answerDeadline: number },
): number => Math.max(receivedAt + answerDeadline - performance.now(), MIN_ENGINE_TIME_MS)
