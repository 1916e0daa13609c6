import { z } from 'zod'
import { accountAnswer } from './account/shapes.ts'
import { orderAnswer } from './order/shapes.ts'
import { positionAnswer } from './position/positions.ts'
import { signalAnswer } from './signal/answers.ts'
import { endpoints } from './endpoint.ts'

export const presentCursor = (at: Date): string => Buffer.from(`c1.${at.getTime()}`).toString('base64url')

/** Fourteen digits are the year 5138, which is storable. */
const cursorFrom = () =>
  z
    .string({ error: 'must be a cursor from an earlier answer' })
    .max(64, 'must be a cursor from an earlier answer')
    .transform((text) => /^c1\.(\d{1,14})$/.exec(Buffer.from(text, 'base64url').toString())?.[1])
    .refine((digits) => digits !== undefined, 'must be a cursor from an earlier answer')
    .transform((digits) => new Date(Number(digits)))

const changesQuery = z.strictObject({ since: cursorFrom() })

const desktopStateAnswer = z.strictObject({
  accounts: z.array(accountAnswer),
  positions: z
    .array(positionAnswer)
    .describe('All positions of these accounts: one that is missing was closed'),
  orders: z.array(orderAnswer),
  signals: z.array(signalAnswer),
  cursor: z.string().describe('From where to ask for the next changes'),
  hasMore: z.boolean().describe('More has changed already: ask again at once'),
})

export type DesktopStateAnswer = z.output<typeof desktopStateAnswer>

const NOTHING_NEW: DesktopStateAnswer = {
  accounts: [],
  positions: [],
  orders: [],
  signals: [],
  cursor: 'YzEuMTc3MjQ2MzYwNTAwMA',
  hasMore: false,
}

const state = (description: string) => ({
  description,
  schema: desktopStateAnswer,
  examples: { 'nothing there': NOTHING_NEW },
})

export const desktopEndpoints = endpoints({
  'GET /api/v1/desktop/sync/snapshot': {
    tag: 'Desktop',
    summary: 'Get the present state of everything',
    description: 'All accounts and positions, the orders that work, and the newest living signals.',
    answers: { 200: state('Everything, and the cursor from which changes follow') },
    errors: [],
  },
  'GET /api/v1/desktop/sync/changes': {
    tag: 'Desktop',
    summary: 'List the changes since a cursor',
    description: 'Some records come twice, none is left out. Ask again at once while `hasMore` is true.',
    query: changesQuery,
    answers: { 200: state('What has changed, and the next cursor') },
    errors: [],
  },
})
