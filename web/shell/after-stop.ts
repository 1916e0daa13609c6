import { useState } from 'react'
import type { Account, Order, Position } from '#client/types.ts'
import { ask, askOnce } from '../connection/ask.ts'
import { asProblem } from '../connection/problem.ts'
import { readChanged } from '../connection/queries.ts'
import { randomHex } from '../connection/request-key.ts'
import { flattenWords, lineWords } from '../position/flatten.ts'
import { number } from '../words/figures.ts'
import { orderSentence } from '../words/order.ts'

interface Outcome {
  is: 'busy' | 'done' | 'asked' | 'failed'
  says: string
}

/** A step after a halt; a repetition does no harm. */
export interface Step {
  name: string
  run: () => Promise<Outcome>
}

/** Cancels all working orders of an account, including those of exits. */
export const cancellingAll = ({ id, name }: Account, orders: readonly Order[]): Step => ({
  name: `${orders.length === 1 ? orderSentence(orders[0]!) : `${number(orders.length)} working orders`} in ${name}`,
  run: async () => {
    const { body } = await ask('POST /api/v1/orders/cancel-all', {
      body: { accountId: id, keepExits: false },
    })
    const failed = body.orders.filter(({ outcome }) => outcome === 'failed')
    const left = [
      ...failed.map(({ symbol, message }) => `${symbol}: ${message}`),
      ...(body.left > 0 ? [`${number(body.left)} more still work`] : []),
    ]
    if (left.length > 0) return { is: 'failed', says: left.join('; ') }
    return body.orders.some(({ outcome }) => outcome === 'asked')
      ? { is: 'asked', says: 'cancel requested; until the broker confirms, they may still fill' }
      : { is: 'done', says: 'cancelled' }
  },
})

export function closingAll({ id, name }: Account, positions: readonly Position[]): Step {
  const key = randomHex(16)
  return {
    name: `Close ${positions.map(({ symbol }) => symbol).join(', ')} in ${name}`,
    run: async () => {
      const { body } = await askOnce(key, 'POST /api/v1/positions/flatten', { body: { accountId: id } })
      const { flatten } = body
      const stuck = flatten.lines.filter(({ status }) => status === 'held' || status === 'failed')
      if (stuck.length > 0)
        return {
          is: 'failed',
          says: stuck.map((line) => `${line.symbol} ${lineWords(line)}`).join('; '),
        }
      const standing = flattenWords(flatten)
      return flatten.status === 'working'
        ? { is: 'asked', says: `${standing}, and being closed` }
        : { is: 'done', says: standing }
    },
  }
}

const AT_ONCE = 4

/** Runs steps and reports the outcome of each; null before a run. */
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
  /** @param groups each begins after the one before it has ended */
  const run = async (groups: readonly (readonly Step[])[]): Promise<void> => {
    setOutcomes(new Map(groups.flat().map((step) => [step, { is: 'busy', says: 'under way' }])))
    for (const steps of groups) await runAll(steps)
    void readChanged('orders', 'positions')
  }
  return { outcomes, run }
}
