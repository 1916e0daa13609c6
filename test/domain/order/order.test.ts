import assert from 'node:assert/strict'
import fc from 'fast-check'
import { compare, decimal, isPositive, type Decimal } from '#domain/money/decimal.ts'
import {
  hasLimitPrice,
  hasStopPrice,
  isTerminal,
  isWorking,
  mergeReport,
  ORDER_STATUSES,
  ORDER_TYPES,
  timesReplaced,
  type AnyOrderType,
  type OrderProgress,
  type OrderStatus,
} from '#domain/order/order.ts'
import { pricedInWords } from '#domain/order/price-words.ts'
import { cases } from '#test/support/generators.ts'

const QUANTITY = '10'

/** A report, its price and instant being functions of what is filled, as they are in the life of one order. */
function report(status: OrderStatus, filled: number, reason: string | null = null): OrderProgress {
  const filledAt = filled > 0 ? `2026-03-02T15:00:${String(filled).padStart(2, '0')}.000Z` : null
  return {
    status,
    filledQuantity: decimal(filled),
    avgFillPrice: filled > 0 ? decimal(100 + filled) : null,
    reason,
    filledAt,
    endedAt: status === 'FILLED' ? filledAt : isTerminal(status) ? '2026-03-02T15:01:00.000Z' : null,
  }
}

const merged = (known: OrderProgress, next: OrderProgress): OrderProgress =>
  mergeReport(known, next, QUANTITY) ?? known

const after = (...reports: [OrderProgress, ...OrderProgress[]]): OrderProgress => reports.reduce(merged)

describe('order status', () => {
  const terminal: OrderStatus[] = ['FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED']
  for (const status of ORDER_STATUSES) {
    it(`${status} is ${terminal.includes(status) ? 'terminal' : 'working'}`, () => {
      assert.equal(isTerminal(status), terminal.includes(status))
      assert.equal(isWorking(status), !terminal.includes(status))
    })
  }
})

describe('mergeReport', () => {
  /** Reports in the order in which they come, "OPEN 0, CANCELLED 4 requested", and what is known after them. */
  const reportsOf = (text: string) =>
    text.split(', ').map((one) => {
      const [, status, filled, reason = null] = /^(\w+) (\d+)(?: (.+))?$/.exec(one)!
      return report(status as OrderStatus, Number(filled), reason)
    }) as [OrderProgress, ...OrderProgress[]]
  const LATER = 'CANCELLED 4 requested; 4 filled before'
  const COURSES: [title: string, reports: string, known: string][] = [
    ['opens a pending order that the market took', 'PENDING 0, OPEN 0', 'OPEN 0'],
    ['calls an open order with fills partly filled', 'OPEN 0, OPEN 3', 'PARTIALLY_FILLED 3'],
    [
      'calls an order filled whose all has filled, for any status',
      'OPEN 0, PARTIALLY_FILLED 10',
      'FILLED 10',
    ],
    [
      'takes price and instant from who knows of more fills',
      'PARTIALLY_FILLED 6, CANCELLED 3',
      'CANCELLED 6',
    ],
    // The broker's pending cancel reads as a working order.
    [
      'fills an order while its cancel is pending, and the cancel comes too late',
      'OPEN 0, OPEN 0, FILLED 10',
      'FILLED 10',
    ],
    ['shows a partial fill although a cancel is pending', 'OPEN 0, PARTIALLY_FILLED 4', 'PARTIALLY_FILLED 4'],
    [
      'cancels the rest of a partly filled order and keeps its fill',
      'PARTIALLY_FILLED 4, CANCELLED 4 asked',
      'CANCELLED 4 asked',
    ],
    [
      'counts a partial fill that arrives after the cancel',
      'CANCELLED 0 asked, CANCELLED 4 asked',
      'CANCELLED 4 asked',
    ],
    ['stays cancelled after a late partial fill', 'CANCELLED 0, PARTIALLY_FILLED 4', 'CANCELLED 4'],
    [
      'is filled when the late fill after a cancel completes the order',
      'CANCELLED 4 asked, FILLED 10',
      'FILLED 10',
    ],
    [
      'keeps the fill of an immediate-or-cancel order whose remainder was cancelled',
      'PENDING 0, CANCELLED 7',
      'CANCELLED 7',
    ],
    [
      'ends a fill-or-kill order that could not fill without any fill',
      'PENDING 0, CANCELLED 0',
      'CANCELLED 0',
    ],
    ['expires at the end of the day with its fills', 'PARTIALLY_FILLED 4, EXPIRED 4', 'EXPIRED 4'],
    [
      'is not ended by done for the day, which reads as working',
      'PARTIALLY_FILLED 4, PARTIALLY_FILLED 4, FILLED 10',
      'FILLED 10',
    ],
    ['is rejected after it was accepted', 'OPEN 0, REJECTED 0 halted', 'REJECTED 0 halted'],
    [
      'never loses a fill to a later report that does not know of it',
      'PARTIALLY_FILLED 6, CANCELLED 0',
      'CANCELLED 6',
    ],
    [
      'never loses a fill to a later expiry that does not know of it',
      'PARTIALLY_FILLED 6, EXPIRED 2',
      'EXPIRED 6',
    ],
    ['takes the reason from who knows most', `CANCELLED 0 requested, ${LATER}`, LATER],
    ['takes the reason from who knows most, in either order', `${LATER}, CANCELLED 0 requested`, LATER],
  ]
  for (const [title, reports, known] of COURSES)
    it(`mergeReport, by the order state rules of FIX: ${title}`, () => {
      assert.deepEqual(after(...reportsOf(reports)), reportsOf(known)[0])
    })

  for (const [title, reports] of [
    ['for the same report again', 'OPEN 0, OPEN 0'],
    ['for the same end again', 'FILLED 10, FILLED 10'],
    ['for fewer fills', 'PARTIALLY_FILLED 6, PARTIALLY_FILLED 3'],
    ['for an open order of before', 'PARTIALLY_FILLED 6, OPEN 0'],
    ['for a pending order of before', 'CANCELLED 0, PENDING 0'],
  ] as const)
    it(`mergeReport says nothing new ${title}`, () => {
      const [known, next] = reportsOf(reports)
      assert.equal(mergeReport(known, next!, QUANTITY), null)
    })

  it('mergeReport compares quantities as numbers, not as text, and keeps fractions of a share', () => {
    const state = mergeReport(report('PARTIALLY_FILLED', 9), report('PARTIALLY_FILLED', 10), '100')
    assert.equal(state?.filledQuantity, '10')
    const part = { ...report('PARTIALLY_FILLED', 1), filledQuantity: '0.333333333' } as const
    assert.equal(mergeReport(report('OPEN', 0), part, '0.333333334')?.status, 'PARTIALLY_FILLED')
    assert.equal(mergeReport(report('OPEN', 0), part, '0.333333333')?.status, 'FILLED')
  })

  describe('for every pair of status and report', () => {
    const reasonOf = (status: OrderStatus): string | null => (isTerminal(status) ? `why ${status}` : null)
    const possible = ORDER_STATUSES.flatMap((status) =>
      [0, 4, 7, 10].map((filled) => report(status, filled, reasonOf(status))),
    )
    /** As merging leaves it: a complete order is filled, a working one with fills is partly filled. */
    const known = possible.map((state) => merged(report('PENDING', 0), state))

    it('mergeReport for every pair of status and report never decreases the filled quantity', () => {
      for (const state of known)
        for (const next of possible) {
          assert.ok(compare(merged(state, next).filledQuantity, state.filledQuantity) >= 0)
        }
    })

    it('mergeReport for every pair of status and report never wakes an ended order', () => {
      for (const state of known)
        for (const next of possible) {
          if (isTerminal(state.status)) assert.ok(isTerminal(merged(state, next).status))
        }
    })

    it('mergeReport for every pair of status and report is filled exactly when everything has filled or the broker says so', () => {
      for (const state of known)
        for (const next of possible) {
          const result = merged(state, next)
          const complete = compare(result.filledQuantity, QUANTITY) >= 0
          const said = [state.status, next.status].includes('FILLED')
          assert.equal(result.status === 'FILLED', complete || said)
        }
    })

    it('mergeReport for every pair of status and report does nothing when the same report comes again', () => {
      for (const state of known)
        for (const next of possible) assert.equal(mergeReport(merged(state, next), next, QUANTITY), null)
    })

    it('comes to the same end in either order of two reports', () => {
      for (const state of known)
        for (const first of possible)
          for (const second of possible) {
            assert.deepEqual(merged(merged(state, first), second), merged(merged(state, second), first))
          }
    })
  })

  describe('over the whole life of an order', () => {
    /** What the broker knows after each event, in the order in which it happened. */
    interface Life {
      quantity: Decimal
      snapshots: OrderProgress[]
    }

    type End = 'CANCELLED' | 'EXPIRED' | 'REJECTED' | 'working'

    const lives: fc.Arbitrary<Life> = fc
      .record({
        quantity: fc.integer({ min: 1, max: 50 }),
        fills: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 8 }),
        end: fc.constantFrom<End>('CANCELLED', 'EXPIRED', 'REJECTED', 'working'),
        lateFills: fc.nat({ max: 3 }),
        acceptedFirst: fc.boolean(),
      })
      .map(({ quantity, fills, end, lateFills, acceptedFirst }) => {
        const snapshots: OrderProgress[] = acceptedFirst ? [report('PENDING', 0)] : []
        snapshots.push(report('OPEN', 0))
        let filled = 0
        let status: OrderStatus = 'OPEN'
        const fill = (shares: number): void => {
          filled = Math.min(quantity, filled + shares)
          if (filled === quantity) status = 'FILLED'
          else if (!isTerminal(status)) status = 'PARTIALLY_FILLED'
          snapshots.push(report(status, filled, status === end ? 'the broker said why' : null))
        }
        const late = Math.min(lateFills, fills.length)
        for (const shares of fills.slice(0, fills.length - late)) if (filled < quantity) fill(shares)
        if (filled < quantity && end !== 'working') {
          status = end
          snapshots.push(report(end, filled, 'the broker said why'))
        }
        for (const shares of fills.slice(fills.length - late)) if (filled < quantity) fill(shares)
        return { quantity: decimal(quantity), snapshots }
      })

    /** Any reports of it, lost, repeated and out of order, with the last one somewhere among them. */
    const deliveries = lives.chain((life) =>
      fc
        .array(fc.nat({ max: life.snapshots.length - 1 }), { maxLength: 20 })
        .chain((others) => fc.tuple(fc.constant(others), fc.nat({ max: others.length })))
        .map(([others, place]) => ({
          life,
          delivered: others
            .toSpliced(place, 0, life.snapshots.length - 1)
            .map((index) => life.snapshots[index]!),
          place,
        })),
    )

    it("ends in the broker's last word once that has arrived, with any lost, repeated or reordered reports", () => {
      fc.assert(
        fc.property(deliveries, ({ life, delivered, place }) => {
          const truth = life.snapshots.at(-1)!
          let state = life.snapshots[0]!
          delivered.forEach((next, index) => {
            const before = state
            state = mergeReport(state, next, life.quantity) ?? state
            assert.ok(compare(state.filledQuantity, before.filledQuantity) >= 0, 'filled decreased')
            assert.ok(compare(state.filledQuantity, truth.filledQuantity) <= 0, 'filled more than was')
            assert.ok(!isTerminal(before.status) || isTerminal(state.status), 'an ended order woke')
            assert.ok(
              !isPositive(state.filledQuantity) || state.avgFillPrice !== null,
              'a fill without price',
            )
            if (index >= place) assert.deepEqual(state, truth)
          })
        }),
        { numRuns: cases(20_000) },
      )
    })
  })
})

describe('the type of an order', () => {
  it('shows which prices the order has', () => {
    const types = [...ORDER_TYPES, 'moc'] as const
    assert.deepEqual(types.filter(hasLimitPrice), ['limit', 'stopLimit'])
    assert.deepEqual(types.filter(hasStopPrice), ['stop', 'stopLimit'])
  })

  it('shows with how many ids at its broker an order begins, and so how often it was replaced', () => {
    const replaced = (orderType: AnyOrderType, ids: number) => timesReplaced({ orderType }, ids)
    assert.deepEqual([replaced('stop', 1), replaced('stop', 3)], [0, 2])
    assert.deepEqual([replaced('oco', 1), replaced('oco', 2), replaced('oco', 4)], [0, 0, 2])
  })

  it('shows how the order is priced', () => {
    const priced = (orderType: AnyOrderType, prices: object = {}) =>
      pricedInWords({ orderType, limitPrice: null, stopPrice: null, ...prices })
    const oco = { limitPrice: '110', stopPrice: '95' }
    assert.deepEqual(
      [
        priced('market'),
        priced('limit', { limitPrice: '1187.5' }),
        priced('stop', { stopPrice: '95' }),
        priced('stopLimit', { stopPrice: '220', limitPrice: '219' }),
        priced('oco', oco),
        priced('oco', { ...oco, stopLimitPrice: '94.5' }),
        priced('trailingStop', { trail: { percent: '2' } }),
        priced('trailingStop', { trail: { amount: '1.5' } }),
      ],
      [
        'at market',
        'limit 1,187.5',
        'stop 95',
        'stop 220, limit 219',
        'limit 110 or stop 95, one cancels the other',
        'limit 110 or stop 95 (limit 94.5), one cancels the other',
        'trailing stop 2 %',
        'trailing stop $1.5',
      ],
    )
  })
})
