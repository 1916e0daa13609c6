import { inFile, requirements, type Requirement } from './requirement.ts'

const reading = inFile('test/api/reading.test.ts')
const records = inFile('test/contract/records.test.ts')
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
  ]),
  ...requirements('4.3', [
    ['GET /accounts', 'list: `accounts`', reading('accounts are listed bare')],
    ['GET /accounts/:accountId', 'details (2.5)', reading('accounts show what is known')],
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
  ]),
]
