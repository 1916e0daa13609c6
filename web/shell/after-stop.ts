import { useState } from 'react'
import type { Account, Order, Position } from '#client/types.ts'
import { ask, askOnce } from '../connection/ask.ts'
import { asProblem } from '../connection/problem.ts'
import { readChanged } from '../connection/queries.ts'
import { randomHex } from '../connection/request-key.ts'
import { orderSentence } from '../words/order.ts'

/** Where something stands that is done once trading is stopped, and what came of it. */
interface Outcome {
  is: 'busy' | 'done' | 'asked' | 'failed'
  says: string
}

/** One thing that is done once trading is stopped. Doing it twice does no harm. */
export interface Step {
  name: string
  run: () => Promise<Outcome>
}

export const cancelling = (order: Order): Step => ({
  name: orderSentence(order),
  run: async () => {
    const { status } = await ask('DELETE /api/v1/orders/{orderId}', { path: { orderId: order.id } })
    return status === 200
      ? { is: 'done', says: 'cancelled' }
      : { is: 'asked', says: 'the broker is asked to cancel it, and until it confirms it may still fill' }
  },
})

export function closingAll({ id, name }: Account, positions: readonly Position[]): Step {
  const key = randomHex(16)
  return {
    name: `Close ${positions.map(({ symbol }) => symbol).join(', ')} in ${name}`,
    run: async () => {
      const path = { accountId: id }
      const { body } = await askOnce(key, 'POST /api/v1/positions/{accountId}/close', { path })
      const refused = body.orders.filter(({ error }) => error !== null)
      if (refused.length > 0)
        return {
          is: 'failed',
          says: refused.map(({ symbol, order }) => `${symbol}: ${order.message}`).join('; '),
        }
      const { length } = body.orders
      if (length === 0) return { is: 'done', says: 'nothing was held any more' }
      return { is: 'done', says: length === 1 ? '1 order is placed' : `${length} orders are placed` }
    },
  }
}

/** Steps that are under way at once. */
const AT_ONCE = 4

/** Runs steps, and tells of each where it stands; null before any. */
export function useSteps() {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<Step, Outcome> | null>(null)
  const note = (step: Step, outcome: Outcome): void =>
    setOutcomes((known) => new Map(known).set(step, outcome))
  const runAll = async (steps: readonly Step[]): Promise<void> => {
    const queue = [...steps]
    const work = async (): Promise<void> => {
      for (let step = queue.shift(); step; step = queue.shift())
        note(
          step,
          await step.run().catch((error: unknown) => ({ is: 'failed', says: asProblem(error).message })),
        )
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
  /** @param groups each begins when the one before it has ended */
  const run = async (groups: readonly (readonly Step[])[]): Promise<void> => {
    setOutcomes(new Map(groups.flat().map((step) => [step, { is: 'busy', says: 'under way' }])))
    for (const steps of groups) await runAll(steps)
    void readChanged('orders', 'positions')
  }
  return { outcomes, run }
}
