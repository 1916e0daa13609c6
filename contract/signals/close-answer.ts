import { CLOSERS } from '#domain/lists.ts'
import { EXIT_REASONS } from '#domain/exit-reason.ts'
import { z } from 'zod'

export const closeAnswer = z.strictObject({
  at: z.iso.datetime(),
  quantity: z.number().describe('Shares'),
  price: z.number().describe('Dollars a share, on average'),
  realisedPnl: z.number().describe('Dollars after fees'),
  by: z
    .enum(CLOSERS)
    .describe(
      'exit: its own exit; signal: another signal; person: an order placed here by hand; elsewhere: no order of this service',
    ),
  reason: z
    .enum(EXIT_REASONS)
    .describe(
      'The level of its exit that was reached, or TIME; CLOSE where they were not closed by its exit',
    ),
  clientOrderId: z
    .string()
    .nullable()
    .describe('Of the order that closed them; null for no order of this service'),
  signalId: z.uuid().nullable().describe('The signal whose order closed them'),
  person: z.string().nullable().describe('Who placed the order by hand, as named then'),
})
