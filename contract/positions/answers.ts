import { z } from 'zod'
import { placedAnswer } from '../orders/answers.ts'
import { planAnswer } from '../signals/protection-answers.ts'

const positionProtectionAnswer = z
  .strictObject({
    protectedBy: z
      .array(z.strictObject({ signalId: z.uuid(), ...planAnswer.shape }))
      .describe('Exit plans of signals'),
    closing: z
      .array(
        z.strictObject({
          signalId: z.uuid().nullable().describe('Null for an order placed by hand'),
          orderId: z.uuid().nullable().describe('Null for an exit that waits'),
          quantity: z.number().describe('Shares'),
          at: z.iso.datetime().nullable().describe('When the exit is sent, where that is known'),
        }),
      )
      .describe('Exits that wait for their time, and orders that work, of signals without a plan'),
    unprotected: z.number().describe('Shares that none of these covers'),
  })
  .meta({ id: 'PositionProtection' })

const accountPositionAnswer = z
  .strictObject({
    id: z.uuid(),
    symbol: z.string(),
    quantity: z.number().describe('Shares'),
    side: z.enum(['LONG', 'SHORT']),
    avgCost: z.number().describe('Dollars a share'),
    currentPrice: z.number().describe('Dollars a share'),
    marketValue: z.number(),
    unrealisedPnl: z.number(),
    unrealisedPnlPercent: z.number(),
    lastUpdated: z.iso.datetime().describe('When the broker last told'),
  })
  .meta({ id: 'AccountPosition' })

export const positionAnswer = z
  .strictObject({
    ...accountPositionAnswer.shape,
    accountId: z.uuid(),
    dayChange: z
      .number()
      .nullable()
      .describe('Change of the price today; null where the broker does not report it'),
    dayChangePercent: z.number().nullable(),
    protection: positionProtectionAnswer
      .exactOptional()
      .describe('What protects it; left out of the records of a companion'),
  })
  .meta({ id: 'Position' })

const positionSummaryAnswer = z
  .strictObject({
    totalMarketValue: z.number(),
    totalUnrealisedPnl: z.number(),
    totalDayChange: z
      .number()
      .nullable()
      .describe(
        'Gained today: since the last close, or since the purchase where that was later; null when that is not known of every position',
      ),
    positionCount: z.int(),
  })
  .meta({ id: 'PositionSummary' })

export const positionListAnswer = z.strictObject({
  positions: z.array(positionAnswer),
  summary: positionSummaryAnswer,
  dayReferences: z
    .record(z.uuid(), z.number().nullable())
    .describe(
      'By the id of a position, dollars a share, on average, from which its result of today counts: of shares that were opened today what they cost with fees, of others the last close; null where that is not known',
    ),
})
export const accountPositionListAnswer = z.strictObject({
  accountId: z.uuid(),
  positions: z.array(accountPositionAnswer),
  summary: positionSummaryAnswer,
})

export type PositionProtectionAnswer = z.output<typeof positionProtectionAnswer>
export type AccountPositionAnswer = z.output<typeof accountPositionAnswer>
export type PositionAnswer = z.output<typeof positionAnswer>
export type PositionSummaryAnswer = z.output<typeof positionSummaryAnswer>

const closingLineAnswer = z.strictObject({ symbol: z.string(), order: placedAnswer })
export const closingAnswer = z.strictObject({
  success: z
    .boolean()
    .describe(
      'The order leaves no shares to orders that were not placed here, and does not wait for a position that the broker does not show',
    ),
  accountId: z.uuid(),
  orders: z.array(closingLineAnswer).describe('The order'),
  requestId: z.uuid(),
})

export type ClosingLineAnswer = z.output<typeof closingLineAnswer>
export type ClosingAnswer = z.output<typeof closingAnswer>
