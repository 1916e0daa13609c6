import { z } from 'zod'
import { oneOf, uuid } from '../values/values.ts'
import { symbolList } from '../market/schema.ts'

/** The lists of live records, by the names of their routes. */
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
