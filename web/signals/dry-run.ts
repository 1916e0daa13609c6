import { useEffect, useRef, useState } from 'react'
import { ask } from '../connection/ask.ts'
import { serviceNow } from '../connection/clock.ts'
import { asProblem, Problem } from '../connection/problem.ts'
import type { Body } from './draft.ts'
import { TYPED_MS } from '../parts/time.ts'
import { mayPass, type Tried } from './tried.ts'

/** Asked again so often: prices move, and so does the session. */
const DRY_RUN_EVERY_MS = 30_000
/** And so soon where the service was too busy, or did not answer. */
const DRY_RUN_RETRY_MS = 2_000

/**
 * Asks the service what sending the body would do, while it is being written. The latest body counts: what comes back for an
 * older one is dropped. Nothing is stored or sent.
 *
 * @param body null while there is nothing to ask yet
 */
export const useDryRun = (body: Body | null): Tried | null =>
  useTried(body === null ? null : JSON.stringify(body), dryRun)

/**
 * As {@link useDryRun}, for whatever can be asked about.
 *
 * @param text what it is, as JSON text; null while there is nothing to ask yet
 * @param play asks the service; it never rejects
 */
export function useTried<T extends Tried>(text: string | null, play: (text: string) => Promise<T>): T | null {
  const [tried, setTried] = useState<T | null>(null)
  const latest = useRef(play)
  useEffect(() => {
    latest.current = play
  }, [play])
  useEffect(() => {
    if (text === null) return undefined
    let isLatest = true
    const askNow = async (): Promise<void> => {
      const answer = await latest.current(text)
      if (!isLatest) return
      setTried(answer)
      timer = setTimeout(() => void askNow(), mayPass(answer) ? DRY_RUN_RETRY_MS : DRY_RUN_EVERY_MS)
    }
    let timer = setTimeout(() => void askNow(), TYPED_MS)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [text])
  return text === null ? null : tried
}

export async function dryRun(text: string): Promise<Tried> {
  try {
    const { body } = await ask('POST /api/v1/signals', {
      body: { ...(JSON.parse(text) as Body), dryRun: true },
    })
    if (!('dryRun' in body)) throw new TypeError('The service did not answer with a dry run')
    const [first, ...others] = 'dryRuns' in body ? body.dryRuns : []
    if (first !== undefined && first.dryRun === null)
      throw new Problem(409, first.code ?? 'REFUSED', first.message ?? 'The account could not be asked', null)
    return {
      of: text,
      at: serviceNow(),
      dryRun: body.dryRun,
      advisories: body.advisories ?? [],
      refusedIn: others.flatMap(({ accountId, code, message }) =>
        code === null ? [] : [{ accountId, message: message ?? code }],
      ),
    }
  } catch (error) {
    return { of: text, at: serviceNow(), problem: asProblem(error) }
  }
}
