import { findOwnAccount } from '#db/accounts/accounts.ts'
import { listAccountsOutOfTouch, listPositionsToday } from '#db/accounts/positions.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { z } from 'zod'
import { scoped } from '../access/policy.ts'
import { FREE } from '../access/token-bounds.ts'
import type { BrokerAccess } from '../brokers/access.ts'
import { ApiError, fault } from '../http/errors.ts'
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_REQUEST_ID } from '../http/examples.ts'
import { symbol, uuid } from '../http/validation/values.ts'
import { rejectedAnswer } from '../orders/answers.ts'
import type { OrderDeps } from '../orders/commands.ts'
import { readRequestKey } from '../orders/idempotency.ts'
import { closeFields, idempotencyHeaders } from '../orders/schema.ts'
import { idOf, Reply, route } from '../route/route.ts'
import {
  accountPositionListAnswer,
  closingAnswer,
  positionListAnswer,
  type AccountPositionAnswer,
  type ClosingAnswer,
} from './answers.ts'
import { readCovers } from './cover-record.ts'
import { closePosition } from './commands.ts'
import { protectPosition } from './protect.ts'
import { decidedAnswer } from '../signals/answers.ts'
import { presentDecided } from '../signals/decision-record.ts'
import { EXAMPLE_SIGNAL } from '../signals/examples.ts'
import type { PlanDeps } from '../signals/protection-commands.ts'
import { protectionFields } from '../signals/protection-schema.ts'
import {
  presentAccountPosition,
  presentClosing,
  presentDayReferences,
  presentPosition,
  presentPositionSummary,
} from './record.ts'

const positionListQuery = z.strictObject({ accountId: uuid().optional(), symbol: symbol().optional() })

const accountPath = { accountId: idOf('ACCOUNT_NOT_FOUND') }

const POSITION_EXAMPLE: AccountPositionAnswer = {
  id: '6b5a4c3d-2e1f-4a0b-9c8d-7e6f5a4b3c2d',
  symbol: 'AAPL',
  quantity: 26,
  side: 'LONG',
  avgCost: 187.48,
  currentPrice: 188.1,
  marketValue: 4890.6,
  unrealisedPnl: 16.12,
  unrealisedPnlPercent: 0.3307,
  lastUpdated: '2026-03-02T15:04:05.000Z',
}
const POSITIONS_SUMMARY = {
  totalMarketValue: 4890.6,
  totalUnrealisedPnl: 16.12,
  totalDayChange: 16.12,
  positionCount: 1,
}
const AS_SYNCED =
  'As the broker last told; a sync of the account refreshes them. What is closed is not shown. Not known, and `POSITIONS_UNAVAILABLE`, are those of an account that was never synced, or whose connection has been in error for five minutes.'

const CLOSING_EXAMPLE: ClosingAnswer = {
  success: true,
  accountId: EXAMPLE_ACCOUNT_ID,
  orders: [
    {
      symbol: 'AAPL',
      order: {
        id: '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a',
        brokerOrderId: 'c1b2a3d4-0001-4c2d-9e3f-7a6b5c4d3e2f',
        status: 'FILLED',
        message: 'The broker accepted the order',
      },
    },
  ],
  requestId: EXAMPLE_REQUEST_ID,
}

const closed = (description: string) => ({
  description,
  schema: closingAnswer,
  examples: { 'one position': CLOSING_EXAMPLE },
})

export const positionRoutes = [
  route({
    name: 'GET /api/v1/positions',
    access: scoped('trading:read'),
    tag: 'Positions',
    summary: 'List the positions of all accounts',
    description: AS_SYNCED,
    query: positionListQuery,
    answers: {
      200: {
        description: 'Positions of the caller that fit the filter, and their totals',
        schema: positionListAnswer,
        examples: {
          'one position': {
            positions: [
              {
                ...POSITION_EXAMPLE,
                accountId: EXAMPLE_ACCOUNT_ID,
                dayChange: 0.62,
                dayChangePercent: 0.3307,
                protection: {
                  protectedBy: [],
                  closing: [
                    {
                      signalId: '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e',
                      orderId: null,
                      quantity: 26,
                      at: '2026-03-02T20:45:00.000Z',
                    },
                  ],
                  unprotected: 0,
                },
              },
            ],
            summary: POSITIONS_SUMMARY,
            dayReferences: { [POSITION_EXAMPLE.id]: 187.48 },
          },
        },
      },
    },
    errors: ['POSITIONS_UNAVAILABLE'],
    run: async ({ em, me, query }) => {
      await requireKnownPositions(em, me.userId, query.accountId)
      const positions = await listPositionsToday(em, me.userId, query)
      const covers = await readCovers(em, me.userId)
      return {
        positions: positions.map(({ position }) => presentPosition(position, covers)),
        summary: presentPositionSummary(positions),
        dayReferences: presentDayReferences(positions),
      }
    },
  }),
  route({
    name: 'GET /api/v1/positions/:accountId',
    access: scoped('trading:read'),
    tag: 'Positions',
    summary: 'List the positions of one account',
    description: AS_SYNCED,
    path: accountPath,
    answers: {
      200: {
        description: 'Positions of the account, and their totals',
        schema: accountPositionListAnswer,
        examples: {
          'one position': {
            accountId: EXAMPLE_ACCOUNT_ID,
            positions: [POSITION_EXAMPLE],
            summary: POSITIONS_SUMMARY,
          },
        },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND', 'POSITIONS_UNAVAILABLE'],
    run: async ({ em, me: { userId }, path: { accountId } }) => {
      if (!(await findOwnAccount(em, userId, accountId))) throw new ApiError('ACCOUNT_NOT_FOUND')
      await requireKnownPositions(em, userId, accountId)
      const positions = await listPositionsToday(em, userId, { accountId })
      const summary = presentPositionSummary(positions)
      const presented = positions.map(({ position }) => presentAccountPosition(position))
      return { accountId, positions: presented, summary }
    },
  }),
  route({
    name: 'POST /api/v1/positions/:accountId/:symbol/close',
    access: scoped('orders:write', {
      work: 'stopping',
      bounds: { ...FREE, pendingOnly: 'refused', accountIds: 'judged' },
    }),
    tag: 'Positions',
    summary: 'Close a position, or a part of it',
    description:
      'A manual market order, sized to what is held, and again right before it is sent, so that no position is turned round. A position that the executions know of and the broker does not show is not taken for closed: the order waits until it is shown, and is refused once executions explain it. Orders of the service that hold the shares, such as resting exits, are cancelled first. Shares that orders from elsewhere hold are not closed: the order says so, and `success` is false.',
    path: { ...accountPath, symbol: { schema: symbol(), absent: 'POSITION_NOT_FOUND' } },
    headers: idempotencyHeaders,
    body: {
      schema: z.strictObject(closeFields),
      optional: true,
      examples: { 'a part of it': { quantity: 5 } },
    },
    answers: {
      200: closed('What an equal request with this `Idempotency-Key` has placed, as it stands now'),
      201: closed('The broker took the order'),
      202: closed(
        'The order is stored for good, and the broker has not answered yet; or it does not show the position that the executions know of, and is asked again: then `success` is false, and the order says so',
      ),
      422: {
        description: 'A rule or the broker rejected the order',
        schema: rejectedAnswer,
        examples: {
          'trading stopped': {
            error: 'TRADING_STOPPED',
            message: 'TRADING_STOPPED: Trading is stopped for this account: drill',
            order: { ...CLOSING_EXAMPLE.orders[0]!.order, status: 'REJECTED', brokerOrderId: null },
            requestId: EXAMPLE_REQUEST_ID,
          },
        },
      },
    },
    errors: [
      'ACCOUNT_NOT_FOUND',
      'BROKER_CREDENTIALS_INVALID',
      'IDEMPOTENCY_KEY_REUSED',
      'POSITIONS_UNAVAILABLE',
      'POSITION_NOT_FOUND',
      'POSITION_HELD',
    ],
    run: async (
      { caller, path, body: { quantity = null }, http },
      // Brokers as orders see them: closing a position takes no part of the share of look-ups.
      { tradingBroker, ...deps }: OrderDeps & { tradingBroker: BrokerAccess },
    ) => {
      const closing = { ...path, quantity }
      const request = readRequestKey(http, { route: 'POST /positions/close', closing })
      const placement = await closePosition({ ...deps, ...tradingBroker }, caller, closing, request)
      const { status, body } = presentClosing(closing, placement, caller.requestId)
      return new Reply(status, body)
    },
  }),
  route({
    name: 'POST /api/v1/positions/:accountId/:symbol/protection',
    access: scoped('orders:write', {
      work: 'trading',
      bounds: { ...FREE, pendingOnly: 'refused', accountIds: 'judged' },
    }),
    tag: 'Positions',
    summary: 'Give shares that have no exit an exit plan',
    description:
      'Shares that were bought by hand, elsewhere, or before this service followed the account get a signal with the origin `adopted`, which has only an exit: it is for all shares of the symbol that no signal owns, grows and shrinks with them, and is changed and ended as that of any other signal (`PATCH /signals/:id/protection`). Sent again it changes the plan. Shares of signals without an exit get the plan too, at their signals. Distances count from the average price of the position, or of the fills of the signal. The answer has the adopting signal, or the first of the others.',
    path: { ...accountPath, symbol: { schema: symbol(), absent: 'POSITION_NOT_FOUND' } },
    body: {
      schema: z.strictObject(protectionFields),
      examples: { 'a stop and a target': { stop: { percent: 5 }, target: { percent: 10 } } },
    },
    answers: {
      200: {
        description: 'The shares have the plan',
        schema: decidedAnswer,
        examples: { protected: { signal: EXAMPLE_SIGNAL } },
      },
      202: {
        description: 'A change of their plan is handed on, and not confirmed yet',
        schema: decidedAnswer,
        examples: { 'not confirmed yet': { signal: EXAMPLE_SIGNAL } },
      },
    },
    errors: [
      'ACCOUNT_NOT_FOUND',
      'NOTHING_TO_ADOPT',
      'POSITION_NOT_FOUND',
      'PROTECTION_NOT_CHANGEABLE',
      'WOULD_BE_REFUSED',
      'TEMPORAL_UNAVAILABLE',
    ],
    run: async ({ caller, path, body }, deps: PlanDeps) => {
      const { status, body: data } = presentDecided(
        await protectPosition(deps, caller, { ...path, change: body }),
      )
      return new Reply(status, data)
    },
  }),
]

/** A list in which an account is missing would read as if it held nothing: throws POSITIONS_UNAVAILABLE, naming it. */
async function requireKnownPositions(em: EntityManager, userId: string, accountId?: string): Promise<void> {
  const accounts = await listAccountsOutOfTouch(em, userId, accountId)
  if (accounts.length === 0) return
  const details = accounts.map(({ id, name, detail }) =>
    fault(
      ['accountId', id],
      'positions_unknown',
      `${JSON.stringify(name)}: ${detail ?? 'it was not synced yet'}`,
    ),
  )
  const names = accounts.map(({ name }) => JSON.stringify(name)).join(', ')
  throw new ApiError('POSITIONS_UNAVAILABLE', {
    message: `The positions of ${names} are not known: the broker cannot be reached. Those of other accounts can be asked for by accountId`,
    details,
    headers: { 'Retry-After': '15' },
  })
}
