import { z } from 'zod'

export const subscriptionAnswer = z.strictObject({
  id: z.uuid(),
  device: z.string().describe('As its owner calls it'),
  service: z.string().describe('The host of the push service of the browser'),
  createdAt: z.iso.datetime(),
  lastDeliveredAt: z.iso
    .datetime()
    .nullable()
    .describe('When the push service took a message last; null before the first'),
  refusedSince: z.iso
    .datetime()
    .nullable()
    .describe('Since when the push service refuses every message for it; null while it takes them'),
  refusal: z.string().nullable().describe('What the push service says then'),
})
export const subscriptionListAnswer = z.array(subscriptionAnswer)

export const pushTestAnswer = z.strictObject({
  sent: z.number().int().describe('Subscriptions whose push services took the message'),
  failed: z.number().int(),
})

export const notificationChoicesAnswer = z.strictObject({
  waitingSignals: z.boolean().describe('Signals that wait for a decision'),
  alerts: z.boolean(),
  refused: z.boolean().describe('Signals that were refused by a rule, or by the broker'),
  filled: z.boolean().describe('Entries, and manual orders, that filled'),
  closed: z.boolean().describe('What a signal opened is closed'),
  daySummary: z.boolean().describe('How the day went, after the close of the exchange'),
  showFigures: z
    .boolean()
    .describe('Symbols, quantities, prices, results and the words of alerts stand in notifications'),
})

export type SubscriptionAnswer = z.output<typeof subscriptionAnswer>
