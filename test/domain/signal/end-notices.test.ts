import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  ORDER_ENDINGS,
  SIGNAL_ENDINGS,
  type OrderEndedBy,
  type NotifyRule,
} from '#domain/signal/end-notices.ts'
import { TERMINAL_STATUSES } from '#domain/order/order.ts'
import { FREED_STATUSES, isFailed, mayBecome, SIGNAL_STATUSES } from '#domain/signal/signal.ts'
import { orderReport } from '#test/support/factories.ts'
import { add } from '#domain/money/decimal.ts'
import { describeExitEnd, exitBegins } from '#domain/exit/progress.ts'

const endings = Object.entries(SIGNAL_ENDINGS)

/** Its owner is told, or it is said why that is not due. */
function assertReports(what: string, telling: NotifyRule): void {
  if ('nothing' in telling) assert.match(telling.nothing, /^[A-Z].{15,}\.$/, what)
  else assert.ok(['always', 'unseen'].includes(telling.tells), what)
}

describe('the ends of signals, orders and exits', () => {
  it('the ends of signals, orders and exits are, for signals, every transition into an end that the table lists, and none besides', () => {
    const listed = SIGNAL_STATUSES.flatMap((from) =>
      FREED_STATUSES.filter((into) => mayBecome(from, into)).map((into) => `${from} > ${into}`),
    )
    const declared = endings.flatMap(([, { from, into }]) => from.map((each) => `${each} > ${into}`))
    assert.deepEqual([...new Set(declared)].toSorted(), listed.toSorted())
    for (const [name, { into }] of endings) assert.ok(isFailed(into), name)
  })

  it('notify their owners, or say why that is not due', () => {
    for (const [name, { telling }] of endings) assertReports(name, telling)
    for (const status of TERMINAL_STATUSES)
      for (const by of ['asked', 'gave_way', 'others'] as OrderEndedBy[])
        assertReports(`${status} ${by}`, ORDER_ENDINGS[status][by])
  })

  it('the ends of signals, orders and exits of orders are reported whenever no person asked for them and they were not filled', () => {
    for (const status of TERMINAL_STATUSES)
      for (const by of ['gave_way', 'others'] as const)
        assert.equal('tells' in ORDER_ENDINGS[status][by], status !== 'FILLED', `${status} ${by}`)
  })

  it('the ends of exits that leave shares open come with the number of those shares', () => {
    for (const filledQuantity of ['0', '4'] as const)
      for (const status of TERMINAL_STATUSES.filter((each) => each !== 'FILLED')) {
        const order = {
          ...orderReport({ id: randomUUID() }),
          status,
          filledQuantity,
          avgFillPrice: '100',
        } as const
        const { clientOrderId } = order
        const quantity = add(filledQuantity, '6')
        const exit = { ...exitBegins(2), ended: [clientOrderId], uncovered: [{ clientOrderId, quantity }] }
        assert.equal(describeExitEnd(exit, () => order).unprotected, '6')
      }
  })
})
