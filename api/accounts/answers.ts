import { z } from 'zod'

/** An account as lists show it; amounts in its currency. */
export const accountAnswer = z
  .strictObject({
    id: z.uuid(),
    brokerId: z.uuid().describe('The connection that the account belongs to'),
    brokerAccountId: z.string(),
    name: z.string(),
    type: z.enum(['MARGIN', 'CASH', 'IRA']),
    currency: z.string(),
    equity: z.number(),
    cashBalance: z.number(),
    buyingPower: z.number(),
    isActive: z.boolean(),
    isDemo: z.boolean().describe('Trades on paper'),
    isPrimary: z.boolean(),
    lastSyncedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Account' })

/** An account with all that is known of it. */
export const accountDetailAnswer = z
  .strictObject({
    ...accountAnswer.shape,
    dayTradingBuyingPower: z.number().nullable().describe('Null where the broker does not report it'),
    marketValue: z.number(),
    unrealisedPnl: z.number(),
    realisedPnl: z.number(),
    broker: z.strictObject({ id: z.uuid(), brokerType: z.string(), status: z.enum(['connected', 'error']) }),
  })
  .meta({ id: 'AccountDetail' })

export const accountListAnswer = z.strictObject({ accounts: z.array(accountAnswer) })

export type AccountAnswer = z.output<typeof accountAnswer>
export type AccountDetailAnswer = z.output<typeof accountDetailAnswer>
