import { useState } from 'react'
import type { Advisory, SignalOfGroup } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { asProblem, NOT_SENT, type Problem } from '../connection/problem.ts'
import type { Body } from './draft.ts'

/**
 * What came of sending a signal. unknown: no answer came, and it may have been taken; sent again under the same sourceId it
 * is the same signal, so that never two orders go out.
 */
export type Sending =
  | { is: 'idle' }
  | { is: 'sending' }
  | { is: 'taken'; id: string; message: string; advisories: readonly Advisory[]; tookMs: number }
  | { is: 'rejected'; id: string | null; problem: Problem }
  | { is: 'unknown'; problem: Problem }
  | { is: 'failed'; problem: Problem }

/** Sends a signal once at a time. */
export function useSending() {
  const [sending, set] = useState<Sending>({ is: 'idle' })
  const send = async (body: Body): Promise<void> => {
    if (sending.is === 'sending') return
    set({ is: 'sending' })
    set(await sent(body))
  }
  return { sending, send, reset: () => set({ is: 'idle' }) }
}

/** What an accepted signal came to in words, with why some of several accounts have refused it. */
export function acceptedWords(answer: { message: string }): { message: string; isRefused: boolean } {
  const signals = 'signals' in answer ? (answer.signals as readonly SignalOfGroup[]) : []
  const why = new Set(signals.flatMap(({ code, message }) => (code === null ? [] : [message])))
  const { message } = answer
  return why.size === 0
    ? { message, isRefused: false }
    : { message: `${message}; refused: ${[...why].join('; ')}`, isRefused: true }
}

async function sent(body: Body): Promise<Sending> {
  const began = performance.now()
  try {
    const answer = await ask('POST /api/v1/signals', { body })
    if (!('signal' in answer.body)) throw new TypeError('The service did not answer with a signal')
    const { signal, advisories } = answer.body
    return {
      is: 'taken',
      id: signal.id,
      message: acceptedWords(answer.body).message,
      advisories: advisories ?? [],
      tookMs: performance.now() - began,
    }
  } catch (error) {
    return explained(asProblem(error))
  }
}

function explained(problem: Problem): Sending {
  if (problem.code !== NOT_SENT && (problem.status === 0 || problem.status >= 500))
    return { is: 'unknown', problem }
  // One that was stored and came to nothing is told with its id.
  const stored = problem.faults.find((fault) => 'signalId' in fault) as { signalId?: string } | undefined
  return stored?.signalId === undefined
    ? { is: 'failed', problem }
    : { is: 'rejected', id: stored.signalId, problem }
}
