/** In the place of `db/order/decisions.ts`, for the sizes of exits: the same, in which goes wrong what is planned. */
import { decideOnce as decideReal } from '#db/order/decisions.ts'
import { symbolOf } from '#test/support/activity-subject.ts'
import { Faults } from './fault-plan.ts'

export * from '#db/order/decisions.ts'

const faults = Faults.ofThisProcess()
const CALL = 'keeping the size of the exit'

export const decideOnce: typeof decideReal = async (em, signalId, key, decision) => {
  const keep = () => decideReal(em, signalId, key, decision)
  if (!faults.concerns(CALL)) return keep()
  return faults.around(CALL, await symbolOf(em, { signalId }), keep)
}
