/** In the place of `db/order/throttle.ts`, for those who ask the gate right before they send: the same, in which goes wrong what is planned. */
import { checkThrottle as checkReal } from '#db/order/throttle.ts'
import { parseClientOrderId } from '#domain/order/order.ts'
import { symbolOf } from '#test/support/activity-subject.ts'
import { Faults } from './fault-plan.ts'

export * from '#db/order/throttle.ts'

const faults = Faults.ofThisProcess()

export const checkThrottle: typeof checkReal = async (em, order, caps) => {
  const ask = () => checkReal(em, order, caps)
  const identity = parseClientOrderId(order.clientOrderId)!
  const call = `the gate of the ${identity.role}`
  if (!faults.concerns(call)) return ask()
  const symbol = await symbolOf(em, identity)
  return faults.around(call, symbol, ask)
}
