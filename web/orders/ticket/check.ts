import type { Routes } from '#client/types.ts'
import { askOnce } from '../../connection/ask.ts'
import { serviceNow } from '../../connection/clock.ts'
import { asProblem } from '../../connection/problem.ts'
import { randomHex } from '../../connection/request-key.ts'
import { dryRun, useTried } from '../../signals/dry-run.ts'
import type { Tried } from '../../signals/tried.ts'
import type { Sent } from './ticket.ts'

type Answer = Extract<Routes['POST /api/v1/orders']['answers'][200], { dryRun: unknown }>

/** What the service said of a ticket. */
export interface Checked extends Tried {
  /** Of a manual order; null of a signal. */
  figures: Pick<Answer, 'cost' | 'buyingPower' | 'position'> | null
}

/**
 * Asks the service what sending the ticket would do, while it is being filled in, as a signal is asked about.
 *
 * @param sent null while something is missing
 */
export const useCheck = (sent: Sent | null): Checked | null =>
  useTried(sent === null ? null : JSON.stringify(sent), check)

async function check(text: string): Promise<Checked> {
  const sent = JSON.parse(text) as Sent
  if (sent.as === 'signal') return { ...(await dryRun(JSON.stringify(sent.body))), of: text, figures: null }
  try {
    // With a key, as the order itself is sent: what it repeats is judged alike.
    const { body } = await askOnce(randomHex(16), 'POST /api/v1/orders', {
      body: { ...sent.body, dryRun: true },
    })
    if (!('dryRun' in body)) throw new TypeError('The service did not answer with a dry run')
    const { dryRun: played, advisories = [], cost, buyingPower, position } = body
    return {
      of: text,
      at: serviceNow(),
      dryRun: played,
      advisories,
      figures: { cost, buyingPower, position },
    }
  } catch (error) {
    return { of: text, at: serviceNow(), problem: asProblem(error), figures: null }
  }
}
