import assert from 'node:assert/strict'
import fc from 'fast-check'
import { add, compare, subtract, type Decimal } from '#domain/money/decimal.ts'
import { quantityAfter, withExecutions, type ExecutedLink } from '#domain/order/changes.ts'
import {
  brokerIdsOf,
  mergeReport,
  type OrderLink,
  type OrderProgress,
  type OrderReport,
} from '#domain/order/order.ts'
import { orderReport, withFill } from '#test/support/factories.ts'
import { cases } from '#test/support/generators.ts'

const SIGNAL = { id: '7d3bbd3e-2a39-4b0e-9d3e-0b3f1f5a9c11' }

const executed = (brokerOrderId: string, quantity: Decimal, price = 100): ExecutedLink => ({
  brokerOrderId,
  quantity,
  value: `${Number(quantity) * price}`,
  lastAt: '2026-03-02T15:00:00.000Z',
})

/** The report of an order of ten that was replaced by one that counts now. */
const replaced = (links: OrderLink[], quantity: Decimal, fields: Partial<OrderReport> = {}): OrderReport => {
  const filled = links.map((link) => link.filledQuantity).reduce((a, b) => (compare(a, b) >= 0 ? a : b))
  return {
    ...withFill(orderReport(SIGNAL, { quantity }), filled),
    brokerOrderId: links.at(-1)!.brokerOrderId,
    links,
    ...fields,
  }
}
const link = (brokerOrderId: string, filledQuantity: Decimal): OrderLink => ({
  brokerOrderId,
  filledQuantity,
})

describe('the filled quantity of an order', () => {
  const shape = (report: OrderReport) => [report.filledQuantity, report.quantity]

  for (const [how, second, executions, filled] of [
    ['for the rest', '6', ['4', '6'], '10'],
    ['for all of it again', '10', ['4', '10'], '14'],
    ['that carries what had filled', '10', ['4', '6'], '10'],
  ] as const)
    it(`the filled quantity of an order that was replaced by one ${how} is what both have executed`, () => {
      const report = replaced([link('old', '4'), link('new', second)], second, { status: 'FILLED' })
      const whole = withExecutions(report, [executed('old', executions[0]), executed('new', executions[1])])
      assert.deepEqual(shape(whole), [filled, filled])
    })

  it('the filled quantity of an order is never less than its report says, while executions are not listed', () => {
    const report = replaced([link('old', '4'), link('new', '6')], '6', { status: 'FILLED' })
    assert.equal(withExecutions(report, [executed('old', '4'), executed('new', '0')]).filledQuantity, '6')
    assert.equal(withExecutions(report, []).filledQuantity, '6')
  })

  it('the filled quantity of an order that was never replaced leaves the quantity of the order as it is', () => {
    const report = withFill(orderReport(SIGNAL), '4')
    assert.deepEqual(shape(withExecutions(report, [executed(report.brokerOrderId, '6')])), ['6', '10'])
    assert.deepEqual(withExecutions(report, [executed(report.brokerOrderId, '4')]), report)
  })

  it('comes with the average price of all its executions', () => {
    const report = replaced([link('old', '4'), link('new', '6')], '6')
    const whole = withExecutions(report, [executed('old', '4', 100), executed('new', '6', 110)])
    assert.equal(whole.avgFillPrice, '106')
  })

  it('leaves open what the link that counts now has open, also when its report is older than its executions', () => {
    const working = replaced([link('old', '4'), link('new', '2')], '8')
    assert.deepEqual(shape(withExecutions(working, [executed('old', '4'), executed('new', '2')])), [
      '6',
      '10',
    ])
    assert.deepEqual(shape(withExecutions(working, [executed('old', '4'), executed('new', '6')])), [
      '10',
      '10',
    ])
  })

  it('stays open when a report from before its replacement comes after one that knows of more fills', () => {
    const ledger = new Ledger()
    ledger.hear(replaced([link('old', '3'), link('new', '0')], '4', { status: 'OPEN' }))
    ledger.hear({
      ...withFill(orderReport(SIGNAL, { quantity: '2' }), '1'),
      brokerOrderId: 'old',
      status: 'PARTIALLY_FILLED',
    })
    assert.deepEqual(
      [ledger.known?.status, ledger.known?.filledQuantity, ledger.known?.quantity],
      ['PARTIALLY_FILLED', '3', '4'],
    )
  })

  it('the filled quantity of an order is the same for any order in which reports and executions of any chain of replacements arrive', () => {
    fc.assert(
      fc.property(aChain, fc.infiniteStream(fc.nat()), ({ fills, carries, surplus }, dice) => {
        const { reports, executions, total } = liveThrough(fills, carries, surplus)
        const ledger = new Ledger()
        const events = [
          ...reports.map((report) => () => ledger.hear(report)),
          ...executions.map((execution) => () => ledger.list(execution)),
        ]
        let before: Decimal = '0'
        while (events.length > 0) {
          const [roll] = [...dice.take(1)]
          events.splice(roll! % events.length, 1)[0]!()
          assert.ok(compare(ledger.filled, before) >= 0, 'never less than before')
          assert.ok(compare(ledger.filled, total) <= 0, 'never more than was executed')
          before = ledger.filled
        }
        // As the feed asks for an order with more executions than the ledger knows.
        ledger.hear(reports.at(-1)!)
        assert.deepEqual([ledger.filled, ledger.known?.status], [total, 'FILLED'])
      }),
      { numRuns: cases(1_000) },
    )
  })
})

/** What each link of a chain fills, whether the next one counts that as its own, and for how much more than the rest it is. */
const aChain = fc.record({
  fills: fc.array(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
  carries: fc.boolean(),
  surplus: fc.integer({ min: 0, max: 5 }),
})

/** The reports and executions of an order that is filled in the end, in the order in which they happen. */
function liveThrough(fills: number[][], carries: boolean, surplus: number) {
  const reports: OrderReport[] = []
  const executions: { brokerOrderId: string; quantity: number }[] = []
  const links: OrderLink[] = []
  let total = 0
  for (const [index, quantities] of fills.entries()) {
    const brokerOrderId = `link-${index}`
    const isLast = index === fills.length - 1
    let own = carries ? total : 0
    links.push(link(brokerOrderId, `${own}`))
    const size = own + quantities.reduce((sum, each) => sum + each, 0) + (isLast ? 1 : surplus + 1)
    const tell = (status: OrderReport['status']): void => {
      const most = Math.max(...links.map(({ filledQuantity }) => Number(filledQuantity)))
      reports.push({
        ...replaced([...links], `${size - own + most}`),
        status,
        ...(links.length === 1 && { links: undefined }),
      } as OrderReport)
    }
    tell(own > 0 ? 'PARTIALLY_FILLED' : 'OPEN')
    for (const quantity of [...quantities, ...(isLast ? [1] : [])]) {
      own += quantity
      total += quantity
      executions.push({ brokerOrderId, quantity })
      links[index] = link(brokerOrderId, `${own}`)
      tell(own === size ? 'FILLED' : 'PARTIALLY_FILLED')
    }
  }
  return { reports, executions, total: `${total}` as const }
}

/** What the ledger makes of reports and executions. */
class Ledger {
  known: (OrderProgress & { quantity: Decimal }) | null = null
  readonly #ids = new Set<string>()
  readonly #listed: { brokerOrderId: string; quantity: number }[] = []

  get filled(): Decimal {
    return this.known?.filledQuantity ?? '0'
  }

  list(execution: { brokerOrderId: string; quantity: number }): void {
    this.#listed.push(execution)
  }

  hear(report: OrderReport): void {
    for (const id of brokerIdsOf(report)) this.#ids.add(id)
    const links = [...this.#ids].map((id) =>
      executed(
        id,
        this.#listed
          .filter(({ brokerOrderId }) => brokerOrderId === id)
          .reduce<Decimal>((sum, { quantity }) => add(sum, `${quantity}`), '0'),
      ),
    )
    const whole = withExecutions(report, links)
    if (this.known === null) {
      this.known = whole
      return
    }
    const quantity = quantityAfter(this.known, whole, links)
    const merged = mergeReport(this.known, whole, quantity)
    if (merged) this.known = { ...merged, quantity }
    assert.ok(compare(subtract(this.known.quantity, this.known.filledQuantity), '0') >= 0)
  }
}
