import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { orderDetailAnswer } from './order/shapes.ts'
import { tradeAnswer } from './position/trades.ts'
import { signalAnswer } from './signal/answers.ts'
import { checkPeriod, period } from './values/query.ts'
import { oneOf, uuid } from './values/values.ts'

const id = () => z.uuid().nullable()
const text = () => z.string().nullable()
const instant = () => z.iso.datetime().nullable()

const fieldsOf = <Shape, Name extends keyof Shape>(
  { shape }: { shape: Shape },
  ...names: Name[]
): Pick<Shape, Name> => Object.fromEntries(names.map((name) => [name, shape[name]])) as Pick<Shape, Name>

const ofAccount = { accountId: z.uuid(), accountName: z.string() }
const ofSender = {
  strategyId: id(),
  strategyName: text(),
  hookName: text().describe('The hook whose message made the signal'),
}
const fees = z.number().describe('Dollars, of its fills so far')
const orderIds = z.string().describe('Separated by spaces')

/** Columns in their order; no value is a list or an object. */
export const EXPORTS = {
  signals: z.strictObject({
    ...fieldsOf(signalAnswer, 'id', 'createdAt'),
    ...ofAccount,
    ...ofSender,
    ...fieldsOf(signalAnswer, 'sentBy', 'sourceId', 'symbol', 'action', 'quantity', 'quantityType'),
    ...fieldsOf(signalAnswer, 'executeMode', 'orderType', 'limitPrice', 'stopPrice', 'timeInForce'),
    ...fieldsOf(signalAnswer, 'extendedHours', 'status', 'statusReason', 'statusDetail', 'orderId'),
    clientOrderId: text().describe('Our name of the entry order at the broker'),
    ...fieldsOf(signalAnswer, 'scheduledAt'),
    sentAt: instant().describe('When the entry order was sent'),
    filledAt: instant().describe("The last fill of the entry, by the broker's clock"),
    ...fieldsOf(signalAnswer, 'filledQuantity', 'avgFillPrice'),
    exitStatus: text().describe('The state of the exit'),
    realisedPnl: z.number().nullable().describe('Dollars after fees, of its closed trades'),
    ...fieldsOf(signalAnswer, 'updatedAt'),
  }),
  orders: z.strictObject({
    ...fieldsOf(orderDetailAnswer, 'id', 'createdAt'),
    ...ofAccount,
    ...ofSender,
    ...fieldsOf(orderDetailAnswer, 'signalId', 'role', 'clientOrderId', 'brokerOrderId', 'symbol', 'side'),
    ...fieldsOf(orderDetailAnswer, 'orderType', 'quantity', 'limitPrice', 'stopPrice', 'stopLimitPrice'),
    ...fieldsOf(orderDetailAnswer, 'timeInForce', 'extendedHours', 'status', 'reason', 'filledQuantity'),
    ...fieldsOf(orderDetailAnswer, 'avgFillPrice'),
    fees,
    sentAt: instant().describe('When it was sent to the broker'),
    acknowledgedAt: instant().describe('When the broker confirmed it'),
    ...fieldsOf(orderDetailAnswer, 'filledAt', 'updatedAt'),
  }),
  fills: z.strictObject({
    executionId: z.string().describe("The broker's name of it, unique in its account"),
    at: z.iso.datetime().describe("By the broker's clock"),
    ...ofAccount,
    ...ofSender,
    signalId: id(),
    orderId: id().describe('Of an order that was placed through this service'),
    clientOrderId: text(),
    brokerOrderId: text(),
    symbol: z.string(),
    side: z.enum(['BUY', 'SELL']),
    quantity: z.number().describe('Shares'),
    price: z.number().describe('Dollars a share'),
    fees: z.number().describe('Dollars so far'),
  }),
  trades: z.strictObject({
    ...fieldsOf(tradeAnswer, 'id', 'entryAt', 'exitAt'),
    ...ofAccount,
    ...ofSender,
    ...fieldsOf(tradeAnswer, 'signalId', 'symbol', 'side', 'status', 'quantity', 'entryPrice', 'exitPrice'),
    ...fieldsOf(tradeAnswer, 'realisedPnl', 'realisedPnlPercent', 'fees'),
    entryOrderIds: orderIds,
    exitOrderIds: orderIds,
  }),
  balances: z.strictObject({
    date: z.iso.date().describe('The day of the exchange that ended with these balances'),
    at: z.iso.datetime().describe('When they were read'),
    ...ofAccount,
    currency: z.string(),
    equity: z.number(),
    cashBalance: z.number(),
  }),
}

export type Exported = keyof typeof EXPORTS

const exportQuery = z
  .strictObject({
    format: oneOf(['csv', 'jsonl']).default('csv').describe('jsonl: JSON Lines, an object for each row'),
    accountId: uuid().optional(),
    ...period,
  })
  .check(checkPeriod)

function exporting(records: Exported, orderedBy: string) {
  const columns = Object.entries<z.ZodType>(EXPORTS[records].shape)
  const meanings = columns.map(([name, { description = '' }]) => `| \`${name}\` | ${description} |`)
  return {
    tag: 'Exports',
    summary: `Export ${records} as CSV or JSON Lines`,
    description: `All ${records} of the caller in one file, the earliest first, however many there are. \`from\` and \`to\` bound \`${orderedBy}\`.

Figures and instants are as in other answers. CSV is UTF-8 by RFC 4180: an unknown value is an empty cell, and a text that a
spreadsheet would take for a formula begins with an apostrophe.

A row that changes during the export is there once, in its earlier or later state. A file without its last rows never looks complete:
the connection is broken, also when the file is not read within five minutes. Then export shorter periods.

| column | meaning |
|---|---|
${meanings.join('\n')}`,
    query: exportQuery,
    answers: {
      200: {
        description: 'The file',
        schema: z.string(),
        mediaType: 'text/csv',
        otherMediaType: 'application/jsonl',
        examples: { 'no row': `${columns.map(([name]) => name).join(',')}\r\n` },
      },
    } as const,
    errors: [],
  }
}

export const exportEndpoints = endpoints({
  'GET /api/v1/exports/signals': exporting('signals', 'createdAt'),
  'GET /api/v1/exports/orders': exporting('orders', 'createdAt'),
  'GET /api/v1/exports/fills': exporting('fills', 'at'),
  'GET /api/v1/exports/trades': exporting('trades', 'entryAt'),
  'GET /api/v1/exports/balances': exporting('balances', 'at'),
})
