import { inFile, requirements, type Requirement } from './requirement.ts'

const reading = inFile('test/api/http/reading.test.ts')
const records = inFile('test/contract/records.test.ts')
const accounts = inFile('test/api/accounts/accounts.test.ts')
const mode = inFile('test/api/accounts/trading-mode.test.ts')
const manual = inFile('test/api/orders/manual-orders.test.ts')
const letter = inFile('test/contract/service.test.ts')

/** Sections 4.2 to 4.4, and the codes of section 7 that orders, accounts and positions answer. */
export const TRADING: Requirement[] = [
  ...requirements('4.2', [
    [
      'GET /orders',
      'list: `orders`, `total`, `limit`, `offset`',
      reading('orders are listed bare'),
      letter('the limit is 50'),
    ],
    [
      'GET /orders',
      'filters accountId, status, symbol',
      reading('orders are found by status', 'orders name a faulty filter'),
    ],
    ['GET /orders/:orderId', 'details', reading('orders show stop price, duration and account in detail')],
    ['GET /orders/:orderId/status', 'status', manual('tells how far an order has come')],
    [
      'POST /orders',
      'body: accountId, symbol, side, orderType, quantity, limitPrice, stopPrice, timeInForce',
      manual('takes words in any case, and keeps every field', 'naming every fault'),
    ],
    [
      'POST /orders',
      '`success`, `order` {id, brokerOrderId, status, message}',
      manual('answers 201 with the order', 'answers 202 with status PENDING'),
    ],
    ['`limitPrice`', 'required for LIMIT', manual('to an order without a limit price')],
    ['`stopPrice`', 'required for STOP', manual('to an order without prices')],
    [
      'DELETE /orders/:orderId',
      'cancel a pending order: `success`, `message`, `orderId`',
      manual('of a manual order asks its own workflow', 'of a signal’s order asks the signal'),
    ],
  ]),
  ...requirements('4.3', [
    ['GET /accounts', 'list: `accounts`', reading('accounts are listed bare')],
    ['GET /accounts/:accountId', 'details (2.5)', reading('accounts show the state of the connection')],
    ['GET /accounts/:accountId/summary', 'summary', accounts('show balances, exposure, open records')],
    ['POST /accounts/sync', 'sync all', accounts('all together tell of each by itself')],
    [
      'POST /accounts/sync/:brokerId',
      'sync the accounts of a broker',
      accounts('by connection are those of that connection alone'),
    ],
    [
      'POST /accounts/:accountId/sync',
      'sync one: `success`, `message`, `syncedAt`',
      accounts('synced on request answer when that was'),
    ],
    ['PUT /accounts/:accountId/primary', 'set primary account', accounts('is exactly one, however many')],
    [
      'POST /accounts/mode',
      'PAPER or LIVE: `success`, `mode`, `message`',
      mode('is switched to LIVE by a person', 'is switched to PAPER by a token'),
    ],
  ]),
  ...requirements('4.4', [
    [
      'GET /positions',
      'query accountId, symbol; `positions` and `summary`',
      reading('positions are listed with their totals'),
    ],
    [
      'GET /positions/:accountId',
      '`accountId`, `positions`, `summary`',
      reading('positions of one account'),
      records('position of one account'),
    ],
    ['an account sync', 'refreshes positions', accounts('synced on request answer when that was')],
  ]),
  ...requirements('7', [
    ['MODE_MISMATCH', 'live order while in paper mode', manual('409 to one of the other mode')],
    ['BROKER_ERROR', 'broker rejected the order', manual('answers 422 BROKER_ERROR')],
    ['INVALID_ORDER', 'invalid order', manual('400 INVALID_ORDER to an order without a limit price')],
    ['INSUFFICIENT_FUNDS', 'not enough buying power', manual('answers 422 INSUFFICIENT_FUNDS')],
    ['ORDER_NOT_FOUND', 'order id unknown', manual('answers 404 to an order that is not there')],
    ['SYNC_FAILED', 'account sync failed', accounts('SYNC_FAILED')],
    ['POSITIONS_UNAVAILABLE', 'positions cannot be fetched', accounts('are answered 503, naming them')],
  ]),
]
