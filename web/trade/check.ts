import { useEffect, useState } from 'react'
import { ask, askOnce } from '../connection/ask.ts'
import { asProblem, Problem } from '../connection/problem.ts'
import { randomHex } from '../connection/request-key.ts'
import { TYPED_MS } from '../parts/time.ts'
import { mayPass, type Checked } from './checked.ts'
import type { Body, TradeRequest } from './requests.ts'
import type { Sent } from './sent.ts'

/** Milliseconds between two dry runs: prices move, and so does the session. */
const DRY_RUN_EVERY_MS = 30_000
/** Milliseconds before a retry, after the service was busy or did not answer. */
const DRY_RUN_RETRY_MS = 2_000

/**
 * Dry run of a request while it is written. An answer to an older text is dropped. Nothing is stored or sent.
 *
 * @param sent null while something is missing
 * @param isPaused keeps the last answer
 * @param key of the request: an answer under an earlier key does not count
 */
export function useCheck(sent: Sent | null, isPaused = false, key = ''): Checked | null {
  const text = sent === null ? null : textOf(sent, key)
  const [checked, setChecked] = useState<Checked | null>(null)
  useEffect(() => {
    if (text === null || isPaused) return undefined
    let isShown = true
    const askNow = async (): Promise<void> => {
      const answer = await check(text)
      if (!isShown) return
      setChecked(answer)
      timer = setTimeout(() => void askNow(), mayPass(answer) ? DRY_RUN_RETRY_MS : DRY_RUN_EVERY_MS)
    }
    let timer = setTimeout(() => void askNow(), TYPED_MS)
    return () => {
      isShown = false
      clearTimeout(timer)
    }
  }, [text, isPaused])
  return text === null ? null : checked
}

/** Text that relates an answer to its request. */
export const textOf = (sent: Sent, key: string): string => JSON.stringify([sent, key])

async function check(text: string): Promise<Checked> {
  const [sent] = JSON.parse(text) as [Sent]
  try {
    return { of: text, ...(await (sent.as === 'signal' ? playSignal(sent.body) : playOrder(sent.body))) }
  } catch (error) {
    return { of: text, problem: asProblem(error), figures: null }
  }
}

async function playSignal(wish: Body): Promise<Omit<Checked, 'of'>> {
  const { body } = await ask('POST /api/v1/signals', { body: { ...wish, dryRun: true } })
  if (!('dryRun' in body)) throw new TypeError('The service did not answer with a dry run')
  const [first, ...others] = 'dryRuns' in body ? body.dryRuns : []
  if (first !== undefined && first.dryRun === null)
    throw new Problem(409, first.code ?? 'REFUSED', first.message ?? 'The account could not be read', null)
  return {
    dryRun: body.dryRun,
    advisories: body.advisories ?? [],
    refusedIn: others.flatMap(({ accountId, code, message }) =>
      code === null ? [] : [{ accountId, message: message ?? code }],
    ),
    figures: null,
  }
}

async function playOrder(wish: TradeRequest): Promise<Omit<Checked, 'of'>> {
  // A key is sent, as with the order itself: a repetition is decided alike.
  const { body } = await askOnce(randomHex(16), 'POST /api/v1/orders', { body: { ...wish, dryRun: true } })
  if (!('dryRun' in body)) throw new TypeError('The service did not answer with a dry run')
  const { dryRun, advisories = [], cost, buyingPower, position } = body
  return { dryRun, advisories, figures: { cost, buyingPower, position } }
}
