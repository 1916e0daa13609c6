/** In the place of `db/order/reports.ts`, for the feed: the same, in which goes wrong what is planned. */
import { applyOrderReport as applyReal } from '#db/order/reports.ts'
import { isTerminal, parseClientOrderId } from '#domain/order/order.ts'
import { Faults } from './fault-plan.ts'

export * from '#db/order/reports.ts'

const faults = Faults.ofThisProcess()

export const applyOrderReport: typeof applyReal = (em, accountId, report) => {
  const apply = () => applyReal(em, accountId, report)
  if (!isTerminal(report.status)) return apply()
  const role = parseClientOrderId(report.clientOrderId)?.role
  return faults.around(`writing the end of the ${role} into the ledger`, report.symbol, apply)
}
