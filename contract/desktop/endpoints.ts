import { endpoints } from '../endpoint.ts'
import { desktopStateAnswer, type DesktopStateAnswer } from './answers.ts'
import { changesQuery } from './schema.ts'

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
    summary: 'Show everything as it stands',
    description: 'All accounts and positions, the orders that work, and the newest living signals.',
    answers: { 200: state('Everything, and the cursor from which changes follow') },
    errors: [],
  },
  'GET /api/v1/desktop/sync/changes': {
    tag: 'Desktop',
    summary: 'Show what has changed since a cursor',
    description: 'Some records come twice, none is left out. Ask again at once while `hasMore` is true.',
    query: changesQuery,
    answers: { 200: state('What has changed, and the next cursor') },
    errors: [],
  },
})
