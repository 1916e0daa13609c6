import assert from 'node:assert/strict'
import { WorkflowNotFoundError } from '@temporalio/client'
import fc from 'fast-check'
import type { Decimal } from '#domain/decimal.ts'
import type { OrderStatus } from '#domain/order.ts'
import { accepts, acceptsFilled } from '../../support/step-answers.ts'
import { exitAfter } from '../../support/sample-signal.ts'
import { useStage } from '#test/support/signal-stage.ts'

type Told = readonly [status: OrderStatus, filledQuantity: Decimal]

/** An order for ten shares that is filled in steps and ends; what a broker would report, in order. */
const orderLife = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 10 }), { maxLength: 4 }),
    fc.constantFrom<OrderStatus[]>('CANCELLED', 'EXPIRED'),
  )
  .map(([fills, end]): Told[] => {
    const rising = fills.toSorted((a, b) => a - b)
    const last = rising.at(-1) ?? 0
    return [
      ['OPEN', '0'],
      ...rising.filter((fill) => fill < 10).map((fill): Told => ['PARTIALLY_FILLED', `${fill}`]),
      [last === 10 ? 'FILLED' : end, `${last}`],
    ]
  })

/** The same reports as they may arrive: some lost, some twice, in any order; the end of the order always comes. */
const arrival = orderLife.chain((life) => {
  const end = life.at(-1)!
  return fc.tuple(fc.shuffledSubarray([...life, ...life]), fc.nat()).map(([reports, at]) => ({
    end,
    reports: reports.includes(end) ? reports : reports.toSpliced(at % (reports.length + 1), 0, end),
  }))
})

describe('reports of the entry order, lost, doubled and in any order', function () {
  this.timeout(60_000)
  const stage = useStage()

  it('lead to the same exit for the filled shares', async () => {
    await fc.assert(
      fc.asyncProperty(arrival, async ({ end: [, filledInTheEnd], reports }) => {
        const play = await stage.begin(
          { orderType: 'limit', limitPrice: '100', exit: exitAfter(30) },
          (script) => script.answer('submitOrder', accepts, acceptsFilled),
        )
        await play.script.accepted('entry')
        for (const [status, filledQuantity] of reports) {
          try {
            await play.tell(play.entryId, status, filledQuantity)
          } catch (error) {
            // Without a fill the story is over as soon as the end is told.
            if (!(error instanceof WorkflowNotFoundError) || filledInTheEnd !== '0') throw error
          }
        }
        assert.deepEqual(await play.result(), {
          status: 'executed',
          reason: null,
          entryFilled: filledInTheEnd,
          exitFilled: filledInTheEnd,
        })
        assert.deepEqual(
          play.script
            .inputs('submitOrder')
            .slice(1)
            .map(({ request }) => request.quantity),
          filledInTheEnd === '0' ? [] : [filledInTheEnd],
        )
      }),
      { numRuns: 30 },
    )
  })
})
