/** In the place of `db/order/reports.ts`, for the activities: the same, with the bugs that are planted. */
import * as real from '#db/order/reports.ts'
import { parseClientOrderId } from '#domain/order/order.ts'
import { symbolOf } from '#test/support/activity-subject.ts'
import { BUGS, type Bug } from './bugs.ts'
import { plantedIn } from './plan.ts'

export { applyOrderReport } from '#db/order/reports.ts'

export const recordedOrder: typeof real.recordedOrder = async (em, accountId, clientOrderId) => {
  const planted = plantedIn(await symbolOf(em, parseClientOrderId(clientOrderId) ?? {}))
  const bug: Bug = planted === null ? {} : BUGS[planted]
  return bug.looksNothingUp ? null : real.recordedOrder(em, accountId, clientOrderId)
}
