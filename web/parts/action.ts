import { useState } from 'react'
import { type Problem, asProblem } from '../connection/problem.ts'
import { randomHex } from '../connection/request-key.ts'

export type ActionState<Result> =
  { is: 'idle' } | { is: 'busy' } | { is: 'done'; result: Result } | { is: 'failed'; problem: Problem }

/** Whether the request may have arrived although its answer is missing or reports trouble on the way. */
export const mayHaveArrived = ({ status, code }: Problem): boolean =>
  code === 'NO_ANSWER' || status === 500 || status === 502 || status === 504

/**
 * Runs one request at a time. Its idempotency key stays until an answer reports the outcome, so that a press after a
 * lost answer places nothing twice, and replaces nothing that may have arrived.
 */
export function useAction<Result>(): {
  state: ActionState<Result>
  run: (send: (key: string) => Promise<Result>) => Promise<void>
  reset: () => void
} {
  const [state, setState] = useState<ActionState<Result>>({ is: 'idle' })
  const [open, setOpen] = useState<string | null>(null)
  const run = async (send: (key: string) => Promise<Result>): Promise<void> => {
    if (state.is === 'busy') return
    const key = open ?? randomHex(16)
    setOpen(key)
    setState({ is: 'busy' })
    try {
      const result = await send(key)
      setOpen(null)
      setState({ is: 'done', result })
    } catch (error) {
      const problem = asProblem(error)
      if (!mayHaveArrived(problem)) setOpen(null)
      setState({ is: 'failed', problem })
    }
  }
  return { state, run, reset: () => setState({ is: 'idle' }) }
}
