import type { AttemptedSteps } from '#activities/attempt.ts'
import type { Activities } from '#activities/contract.ts'

/** The acceptance and the end of a signal, which one step records, recorded by the steps that can be scripted or go wrong. */
export const oneByOne =
  (steps: Pick<Activities, 'recordAccepted' | 'recordClosed'>): AttemptedSteps['recordAcceptedAndClosed'] =>
  async ({ end, ...acceptance }) => {
    const { orderId } = await steps.recordAccepted(acceptance)
    await steps.recordClosed(end)
    return { orderId, isClosed: true }
  }
