import { z } from 'zod'
import { oneOf, uuid } from './values/values.ts'
import { symbolList } from './market.ts'
import { endpoints } from './endpoint.ts'

export const WATCHED_LISTS = [
  'signals',
  'groups',
  'orders',
  'positions',
  'accounts',
  'alerts',
  'trades',
  'halts',
  'brokers',
  'user',
  'quotes',
  'figures',
] as const
export type WatchedList = (typeof WATCHED_LISTS)[number]

const watchedList = oneOf(WATCHED_LISTS)

export const eventsQuery = z.strictObject({
  topics: z
    .string({ error: 'must be given once, several separated by commas' })
    .transform((text) => text.split(','))
    .pipe(z.array(watchedList))
    .optional()
    .describe(
      `Which lists to follow, separated by commas: ${WATCHED_LISTS.join(', ')}; all but quotes and figures without it`,
    ),
  symbols: symbolList()
    .optional()
    .describe(
      'With the topic quotes: whose prices to follow beside those of what is held and waits, separated by commas',
    ),
  accountId: uuid().optional().describe('Follow one account'),
  lastEventId: z
    .string({ error: 'must be given once' })
    .optional()
    .describe('As the header Last-Event-ID, for browsers, which cannot set it on a new stream'),
})

const eventStreamAnswer = z.string()

const ticketAnswer = z.strictObject({
  ticket: z.string().describe('Shown once; good for one stream'),
  expiresAt: z.iso.datetime(),
})

const idLine = (id: string | null): string => (id === null ? '' : `id: ${id}\n`)

export const eventText = (event: string, data: object, id: string | null): string =>
  `${idLine(id)}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

export const heartbeatText = (id: string | null): string => `: still here\n${idLine(id)}\n`

export const retryText = (milliseconds: number): string => `retry: ${milliseconds}\n\n`

const FOLLOWING = `Server-sent events: a stream that does not end, of what changes while you watch.

| event | data |
|---|---|
| \`signal\`, \`order\`, \`position\`, \`account\`, \`alert\`, \`trade\` | the record as its list shows it, and \`at\`, when it changed; or \`{id, accountId, isRemoved: true, at}\` when it is not there any more |
| \`group\` | the same, of the list of groups of signals, whose signals have changed too; news of them comes to those who follow one account too |
| \`halt\`, \`broker\` | the same, of the lists of halts and of connections; news of them comes to those who follow one account too |
| \`user\` | \`{id, tradingMode, role, plan, at}\`, when one of these has changed |
| \`quotes\` | \`{accountIds, quotes}\`: prices that have changed of what is held and waits in these accounts, and of \`symbols\`, at most four times a second, each as GET /market/quotes shows it with \`asOf\` and \`isStreamed\`; only with the topic |
| \`figures\` | \`{summary, accounts}\`, as GET /dashboard/summary and GET /accounts/:accountId/summary show them, when they have changed, at most every three seconds; only with the topic |
| \`ready\` | the stream follows from here on: \`{topics, accountId, isResumed, at}\` |
| \`reset\` | something was missed: read the lists again |
| \`end\` | the stream is ended by the service, \`reason\` says why: \`shutdown\` (come back) or \`unauthenticated\` (come back with another credential) |

An event has the latest state of a record, not each step on the way: several changes in quick succession are one event, and
the last state is always sent. Some events may arrive twice.

Keep the last \`id\` that you received and send it as \`Last-Event-ID\` with the next request: the stream goes on with what was
missed. Of quotes and figures it sends only the newest. Read the lists after \`ready\`: then nothing falls between them and the stream.

Accounts and brokers need the scope \`accounts:read\` besides; without it they are left out. A credential that has ended ends its
streams within a heartbeat.`

const STREAM_EXAMPLE = [
  retryText(2_000),
  eventText(
    'ready',
    { topics: ['orders'], accountId: null, isResumed: false, at: '2026-03-02T14:30:05.000Z' },
    '81204',
  ),
  eventText(
    'order',
    {
      id: '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a',
      accountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
      brokerOrderId: '61e69015-8549-4bfd-b9c3-01e75843f47d',
      symbol: 'AAPL',
      side: 'BUY',
      orderType: 'MARKET',
      quantity: 10,
      filledQuantity: 10,
      limitPrice: null,
      avgFillPrice: 187.42,
      status: 'FILLED',
      timeInForce: 'DAY',
      createdAt: '2026-03-02T14:30:06.120Z',
      filledAt: '2026-03-02T14:30:06.480Z',
      signalId: null,
      role: 'manual',
      at: '2026-03-02T14:30:06.493Z',
    },
    '81219',
  ),
  heartbeatText('81240'),
].join('')

export const eventEndpoints = endpoints({
  'GET /api/v1/events': {
    tag: 'Events',
    summary:
      'Follow signals, their groups, orders, positions, accounts, alerts, trades, halts and brokers as they change',
    description: FOLLOWING,
    query: eventsQuery,
    headers: z.strictObject({
      'Last-Event-ID': z.string().optional().describe('The last id that came, to go on from there'),
    }),
    answers: {
      200: {
        description: 'The stream',
        schema: eventStreamAnswer,
        mediaType: 'text/event-stream',
        examples: { 'an order that is filled': STREAM_EXAMPLE },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND'],
  },
  'POST /api/v1/events/ticket': {
    tag: 'Events',
    summary: 'Get a ticket for an event stream',
    description:
      'For browsers, whose EventSource can set no header: open `/api/v1/events?ticket=…` with it. The ticket lasts for 30 seconds, opens one stream, and belongs to the session that requested it. The stream ends with its session.',
    answers: {
      201: {
        description: 'The ticket',
        schema: ticketAnswer,
        examples: {
          'a ticket': {
            ticket: 'b0N1tZ2kZ1xJm5v0mZ8q6yJ0z6h1w3s4d5f6g7h8j9k',
            expiresAt: '2026-03-02T14:30:35.000Z',
          },
        },
      },
    },
    errors: [],
  },
})
