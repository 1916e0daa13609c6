import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  EXIT_ENDINGS,
  ORDER_ENDINGS,
  QUIET_EXIT_ENDS,
  SIGNAL_ENDINGS,
  type OrderEndedBy,
  type Telling,
} from '#domain/endings.ts'
import { ALERTS } from '#domain/alert.ts'
import { EXIT_STATUSES, isExitAhead } from '#domain/exit.ts'
import { TERMINAL_STATUSES } from '#domain/order.ts'
import { FREED_STATUSES, isFailed, mayBecome, SIGNAL_STATUSES } from '#domain/signal-status.ts'
import { orderReport } from '#test/support/factories.ts'
import { add } from '#domain/decimal.ts'
import { describeExitEnd, exitBegins } from '#domain/exit-progress.ts'

const endings = Object.entries(SIGNAL_ENDINGS)

/** Its owner is told, or it is said why that is not due. */
function assertTells(what: string, telling: Telling): void {
  if ('nothing' in telling) assert.match(telling.nothing, /^[A-Z].{15,}\.$/, what)
  else if ('by' in telling) assert.ok(telling.by in ALERTS, what)
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

  it('tell their owners, or say why that is not due', () => {
    for (const [name, { telling }] of endings) assertTells(name, telling)
    for (const status of TERMINAL_STATUSES)
      for (const by of ['asked', 'gave_way', 'others'] as OrderEndedBy[])
        assertTells(`${status} ${by}`, ORDER_ENDINGS[status][by])
    for (const [name, telling] of Object.entries(EXIT_ENDINGS)) assertTells(name, telling)
    for (const [name, why] of Object.entries(QUIET_EXIT_ENDS)) assertTells(name, { nothing: why })
  })

  it('the ends of signals, orders and exits of orders are told whenever nobody asked for them and they were not filled', () => {
    for (const status of TERMINAL_STATUSES)
      for (const by of ['gave_way', 'others'] as const)
        assert.equal('tells' in ORDER_ENDINGS[status][by], status !== 'FILLED', `${status} ${by}`)
  })

  it('the ends of signals, orders and exits are, for exits, every status in which one ends', () => {
    const ends = EXIT_STATUSES.filter((status) => !isExitAhead(status) && status !== 'submitted')
    assert.deepEqual(Object.keys(EXIT_ENDINGS).toSorted(), ends.toSorted())
  })

  it('the ends of signals, orders and exits of exits that leave shares open are those that an alert tells of', () => {
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
        const { status: end, reason, unprotected } = describeExitEnd(exit, () => order)
        assert.equal(unprotected, '6')
        assert.deepEqual((EXIT_ENDINGS as Record<string, Telling>)[end], { by: 'unprotected_position' })
        assert.ok(reason !== null && !(reason in QUIET_EXIT_ENDS))
      }
    const closed = describeExitEnd(exitBegins(), () => assert.fail('there is no order'))
    assert.ok(closed.reason !== null && closed.reason in QUIET_EXIT_ENDS)
  })
})
