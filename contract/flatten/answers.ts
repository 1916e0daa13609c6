import { z } from 'zod'

const instant = () => z.iso.datetime()

const flattenLineAnswer = z
  .strictObject({
    accountId: z.uuid(),
    symbol: z.string(),
    side: z.enum(['LONG', 'SHORT']),
    quantity: z.number().describe('Shares that were held when it was first looked at'),
    status: z
      .enum(['closing', 'closed', 'failed', 'held'])
      .describe(
        'closing: an order is on its way, or waits for the session. held: something keeps it from being closed, and it is tried again. failed: it is not tried again, and there is an alert',
      ),
    orderId: z
      .uuid()
      .nullable()
      .describe('The manual order that closes it, the last one where it was tried again'),
    detail: z.string().nullable().describe('What it waits for, or why it failed, in words'),
  })
  .meta({ id: 'FlattenLine' })

const flattenAnswer = z
  .strictObject({
    id: z.uuid(),
    status: z
      .enum(['working', 'done', 'failed'])
      .describe('done: nothing is held any more, and nothing from before can open a position'),
    cause: z
      .enum(['request', 'close'])
      .describe('request: somebody asked for it. close: it is flat by the close, by a setting'),
    reason: z.string().nullable(),
    createdAt: instant(),
    endedAt: instant().nullable(),
    left: z
      .array(z.strictObject({ accountId: z.uuid(), symbol: z.string(), detail: z.string() }))
      .describe(
        'What may still open a position: entries that are being stopped, and orders that were not placed here, which are to be cancelled where they were placed',
      ),
    lines: z.array(flattenLineAnswer).describe('One for each position; none where nothing is held'),
  })
  .meta({ id: 'Flatten' })

export const flattenOneAnswer = z.strictObject({ flatten: flattenAnswer, requestId: z.uuid() })
export const flattenListAnswer = z.strictObject({ flattens: z.array(flattenAnswer) })

export type FlattenAnswer = z.output<typeof flattenAnswer>
